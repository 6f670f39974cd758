// A second parser, which must see one SELECT too. The gate stands on one young parser; another one, written by others after
// another grammar, rarely errs at the same place. It knows four of the six grammars and only a part of each, so what it cannot
// read is decided by the first parser alone.
import { createRequire } from 'node:module';
import { createContext, Script } from 'node:vm';
import type { Parser } from 'node-sql-parser/build/postgresql.js';
import { isRecord } from './syntax-tree.ts';

const require = createRequire(import.meta.url);

/** Builds of the package with one grammar each: 200 to 300 KB, loaded at the first use. */
const BUILDS: ReadonlySet<string> = new Set(['bigquery', 'postgresql', 'redshift', 'snowflake']);
const parsers = new Map<string, Pick<Parser, 'astify'>>();

function parserOf(grammar: string): Pick<Parser, 'astify'> {
  const known = parsers.get(grammar);
  if (known !== undefined) return known;
  const build: { readonly Parser: typeof Parser } = require(`node-sql-parser/build/${grammar}.js`);
  const parser = new build.Parser();
  parsers.set(grammar, parser);
  return parser;
}

/** Length from which a text is not read again. 10,000 characters took 0.9 s on a busy core. */
const LONGEST = 20_000;
/** Time after which the parser gives up. It goes back and forth in a text, so its time depends on more than the length. */
const TIMEOUT_MS = 1000;
const run = new Script('read()');

/**
 * Returns what the second parser sees, one entry for each statement, such as `['SELECT']` or `['SELECT', 'DROP']`. A statement
 * that writes within a query is an entry, too. Returns undefined where the parser cannot read the text or takes too long.
 */
export function readAgain(sql: string, grammar: string): readonly string[] | undefined {
  if (!BUILDS.has(grammar) || sql.length > LONGEST) return undefined;
  const parser = parserOf(grammar);
  try {
    // `vm` is the only way to interrupt code that does not wait
    const tree: unknown = run.runInContext(createContext({ read: () => parser.astify(sql) }), { timeout: TIMEOUT_MS });
    return statementsOf(tree);
  } catch {
    return undefined;
  }
}

/** Kinds of nodes that write. Expressions have other kinds, also the calls of functions such as replace(). */
const WRITING: ReadonlySet<string> = new Set([
  ...['insert', 'replace', 'update', 'delete', 'merge', 'truncate', 'create', 'drop', 'alter', 'rename', 'copy_to'],
  ...['call', 'exec', 'execute', 'grant', 'revoke', 'use', 'set', 'lock', 'unlock', 'declare', 'transaction', 'into'],
]);

function statementsOf(tree: unknown): readonly string[] {
  const statements = Array.isArray(tree) ? tree : [tree];
  return statements.flatMap((statement) => {
    const kind = kindOf(statement) ?? 'unknown';
    const inside = WRITING.has(kind) ? [] : [...writingIn(statement)];
    return [kind, ...inside].map((each) => each.toUpperCase());
  });
}

/** Returns the kinds of the nodes that write, wherever they stand. Not recursive, because the customer chooses the depth. */
function writingIn(tree: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const pending: unknown[] = [tree];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const kind = kindOf(value);
    if (kind !== undefined && WRITING.has(kind)) found.add(kind);
    for (const child of Object.values(value)) pending.push(child);
  }
  return found;
}

function kindOf(node: unknown): string | undefined {
  return isRecord(node) && typeof node.type === 'string' ? node.type.toLowerCase() : undefined;
}
