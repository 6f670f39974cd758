// Statements as they stand in the source: what would not survive distribution by workspace is found before it runs.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { faultsOf } from '../support/stores/distribution-rules.ts';
import { readSource, type SourceFile } from './source-tree.ts';

const STATEMENT =
  /^\s*(\/\*.*?\*\/\s*|--[^\n]*\n\s*)*(select|insert into|update|delete from|with|merge)\b[\s\S]*\b(from|into|set|values|using|select)\b/i;

/** Text of string and template literals that read like SQL, with `?` where a template puts something in. */
function statementsOf({ path, tree }: SourceFile): { readonly place: string; readonly text: string }[] {
  const found: { place: string; text: string }[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node);
    if (text !== undefined && STATEMENT.test(text)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      found.push({ place: `${path}:${line + 1}`, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `?${literal.text}`).join('');
}

const statements = readSource()
  .filter(({ path }) => path.startsWith('src/') && path !== 'src/store/migrate.ts')
  .flatMap(statementsOf);

test('statements are found in the source', () => {
  expect(statements.length).toBeGreaterThan(10);
});

test('every statement can be distributed by workspace', () => {
  const faults = statements.flatMap(({ place, text }) => faultsOf(text).map((fault) => `${place} ${fault}`));
  expect(faults).toEqual([]);
});

describe('the rules', () => {
  test.each([
    ['SELECT 1 FROM profiles WHERE mpid = $1', 'workspace_id'],
    ['SELECT 1 FROM profiles p JOIN profile_identities i ON i.mpid = p.mpid WHERE p.workspace_id = $1', 'workspace_id'],
    ['UPDATE "pipelines" SET "state" = $1 WHERE "id" = $2', 'workspace_id'],
    ['DELETE FROM audit_log WHERE occurred_on < now() AND workspace_id = $1', 'parameters'],
    ['INSERT INTO creation_locks VALUES ($1)', 'workspace_id'],
    ['/* across workspaces: poll */ SELECT 1 FROM pipelines FOR UPDATE', 'locks nothing'],
    ["SELECT 1 FROM pipelines WHERE id = 'workspace_id = '", 'workspace_id'],
    ['SELECT pg_advisory_xact_lock($1)', 'advisory'],
  ])('find the fault of %s', (statement, word) => {
    expect(faultsOf(statement)).toEqual([expect.stringContaining(word)]);
  });

  test.each([
    'SELECT p.mpid FROM profiles p JOIN profile_identities i ON i.workspace_id = $1 AND i.mpid = p.mpid WHERE p.workspace_id = $1',
    'select "id" from "pipelines" where ("pipelines"."workspace_id" = $1 and "pipelines"."id" = $2)',
    'INSERT INTO creation_locks (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING',
    '/* across workspaces: the scheduler’s poll */ SELECT workspace_id FROM pipelines WHERE next_due_at <= $1',
    'SELECT name FROM cadences WHERE next_due_at <= $1',
    'SELECT id FROM accounts',
    'SELECT id FROM pgboss.job WHERE created_on < now()',
  ])('have nothing against %s', (statement) => {
    expect(faultsOf(statement)).toEqual([]);
  });
});
