import type { Token } from './parser.ts';
import { wordsAt } from './plain/token-lists.ts';
import { isRecord, type Node, nodeOf, visitNodes } from './syntax-tree.ts';

/** A construct that models must not contain, in the user's words, and its place. */
export interface Refusal {
  readonly construct: string;
  readonly offset: number;
}

/** Kinds of queries. An allow-list: the parser calls unknown statements a command, and bare words an alias. */
const QUERY_KINDS = new Set(['select', 'union', 'intersect', 'except']);

/** Statements that the parser can find inside a query, such as a CTE that deletes. */
const STATEMENT_PREFIXES = ['create_', 'drop_', 'alter_', 'truncate'];
const STATEMENT_KINDS = new Set([
  'insert',
  'update',
  'delete',
  'merge',
  'copy',
  'put',
  'load_data',
  'export',
  'undrop',
  'multitable_inserts',
  'grant',
  'revoke',
  'command',
  'execute',
  'declare',
  'set_statement',
  'use',
  'kill',
  'attach',
  'detach',
  'install',
  'transaction',
  'commit',
  'rollback',
  'pragma',
  'show',
  'describe',
  'summarize',
  'refresh',
  'analyze',
  'cache',
  'uncache',
  'next_value_for',
  'prepare',
  'comment',
]);

/** Returns the first construct that makes this more than one SELECT that only reads. Returns undefined where there is none. */
export function findRefused(statement: unknown, tokens: readonly Token[]): Refusal | undefined {
  const root = nodeOf(statement);
  if (!isQuery(root)) return refusalOf(nameOfRoot(root, tokens), tokens);
  let refused: string | undefined;
  visitNodes(statement, (node) => {
    refused ??= refusedIn(node);
  });
  return refused === undefined ? undefined : refusalOf(refused, tokens);
}

/** Words that begin a statement that writes, by the name that the tokenizer gives them. */
const WRITING_WORDS: ReadonlySet<string> = new Set([
  'INSERT',
  'UPDATE',
  'DELETE',
  'MERGE',
  'TRUNCATE',
  'CREATE',
  'DROP',
  'ALTER',
  'COPY',
  'GRANT',
  'REVOKE',
  'EXECUTE',
]);

/** Words after FOR that lock rows. */
const LOCKS = /^(?:UPDATE|SHARE|NO KEY UPDATE|KEY SHARE)\b/;

/**
 * Returns the first word that makes a text more than a SELECT, where there is no tree because the parser gave up. It stands
 * where a query could begin, behind a parenthesis. INTO, INSERT OVERWRITE and FOR UPDATE stand anywhere.
 */
export function findWritingWord(tokens: readonly Token[]): Refusal | undefined {
  for (const [index, { start }] of tokens.entries()) {
    const construct = writingWordAt(tokens, index);
    if (construct !== undefined) return { construct, offset: start };
  }
  return undefined;
}

function writingWordAt(tokens: readonly Token[], index: number): string | undefined {
  const { type = '', text = '' } = tokens[index] ?? {};
  if (type === 'QUOTED_IDENTIFIER' || type.endsWith('STRING')) return undefined;
  const word = text.toUpperCase();
  if (word === 'INTO') return word;
  // Databricks: FROM a INSERT OVERWRITE TABLE b SELECT …
  if (word === 'INSERT' && tokens[index + 1]?.text.toUpperCase() === 'OVERWRITE') return word;
  if (word === 'FOR' && LOCKS.test(wordsAt(tokens.slice(index + 1, index + 4), 3))) return 'FOR UPDATE';
  const before = tokens[index - 1]?.type;
  const mayBegin = before === 'L_PAREN' || before === 'R_PAREN';
  return mayBegin && WRITING_WORDS.has(word) ? word : undefined;
}

function refusalOf(construct: string, tokens: readonly Token[]): Refusal {
  return { construct, offset: place(construct, tokens) };
}

/** Tells whether a node is a query. A parenthesised query is a subquery with a query inside. */
function isQuery(node: Node | undefined): boolean {
  let inner = node;
  while (inner?.kind === 'subquery') inner = nodeOf(inner.fields.this);
  return inner !== undefined && QUERY_KINDS.has(inner.kind);
}

function refusedIn({ kind, fields }: Node): string | undefined {
  if (isStatement(kind)) return keywordOf(kind);
  if (!QUERY_KINDS.has(kind)) return undefined;
  if (isRecord(fields.into)) return 'INTO';
  return Array.isArray(fields.locks) && fields.locks.length > 0 ? lockName(fields.locks[0]) : undefined;
}

function isStatement(kind: string): boolean {
  return STATEMENT_KINDS.has(kind) || STATEMENT_PREFIXES.some((prefix) => kind.startsWith(prefix));
}

function lockName(lock: unknown): string {
  return isRecord(lock) && isRecord(lock.update) ? 'FOR UPDATE' : 'FOR SHARE';
}

/** Returns the keyword of a kind: `create_table` → `CREATE TABLE`, `set_statement` → `SET`, `multitable_inserts` → `INSERT`. */
function keywordOf(kind: string): string {
  if (kind === 'multitable_inserts') return 'INSERT';
  return kind
    .replace(/_statement$/, '')
    .replaceAll('_', ' ')
    .toUpperCase();
}

function nameOfRoot(root: Node | undefined, tokens: readonly Token[]): string {
  if (root !== undefined && root.kind !== 'command' && root.kind !== 'describe' && isStatement(root.kind)) {
    return keywordOf(root.kind);
  }
  return tokens[0]?.text.toUpperCase() ?? 'an empty text';
}

/** Returns the offset of the construct's first word in the tokens; the tree has places for names only. */
export function place(construct: string, tokens: readonly Token[]): number {
  const [word, next] = construct.split(' ');
  const is = (token: Token | undefined, text: string | undefined) =>
    token?.text.toUpperCase() === text && token?.type !== 'STRING' && token?.type !== 'QUOTED_IDENTIFIER';
  const at =
    tokens.find((token, index) => is(token, word) && (next === undefined || is(tokens[index + 1], next))) ??
    tokens.find((token) => is(token, word)) ??
    tokens[0];
  return at?.start ?? 0;
}
