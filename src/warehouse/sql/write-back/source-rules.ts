// Finds sources of rows that the query rules of write-back forbid.
import { place } from '../find-refused.ts';
import type { Token } from '../parser.ts';
import { isRecord, visitNodes } from '../syntax-tree.ts';
import { type Finding, isSet, type TableReading, type WriteBackReading, wordsOf } from './read-model.ts';
import { findQuotes } from './text-rules.ts';

export function findOtherQuery({ root, select, tokens }: WriteBackReading): Finding | undefined {
  const pipe = tokens.find(({ type }) => type === 'PIPE_GT');
  if (pipe !== undefined) return { message: `Pipe syntax (|>) is not allowed; ${ONE_SELECT}`, offset: pipe.start };
  const word = root.kind === 'subquery' ? '(' : root.kind === 'select' ? undefined : root.kind.toUpperCase();
  const construct = word ?? (isRecord(select.with) ? 'WITH' : undefined);
  if (construct === undefined) return undefined;
  const name = construct === '(' ? 'A query in parentheses' : construct;
  return { message: `${name} is not allowed; ${ONE_SELECT}`, offset: place(construct, tokens) };
}

export const ONE_SELECT = 'a write-back model is a single SELECT of columns FROM one table, optionally with WHERE.';

export function findJoin({ select, sources, tokens }: WriteBackReading): Finding | undefined {
  const joins = [select.joins, select.lateral_views].some((list) => Array.isArray(list) && list.length > 0);
  if (!joins && sources.length < 2) return undefined;
  const word = joins ? (isWord(tokens, 'JOIN') ? 'JOIN' : 'LATERAL') : 'FROM';
  const message =
    'JOIN, as well as a comma between tables, is not allowed; select from the one table that gets the MPIDs, and keep ' +
    'its identities in columns of its own.';
  return { message, offset: place(word, tokens) };
}

function isWord(tokens: readonly Token[], word: string): boolean {
  return tokens.some(({ text, type }) => type !== 'STRING' && text.toUpperCase() === word);
}

/** Parts of a table that do not change its rows. */
const PLAIN_TABLE: ReadonlySet<string> = new Set(['name', 'schema', 'catalog', 'alias', 'alias_explicit_as', 'span']);

const MOST_PARTS = 3;

export function findOtherSource(model: WriteBackReading): Finding | undefined {
  const { table, sources, tokens, root } = model;
  if (root.kind !== 'select') return undefined;
  const message =
    table.path.length === 0
      ? `${sources.length === 0 ? 'FROM names no table' : 'FROM must name a table'}; ${ONE_SELECT}`
      : (afterTable(table) ?? (findQuotes(model) === undefined ? badName(table) : undefined));
  return message === undefined ? undefined : { message, offset: place('FROM', tokens) };
}

function afterTable({ fields }: TableReading): string | undefined {
  const extra = Object.keys(fields).find((field) => !PLAIN_TABLE.has(field) && isSet(fields[field]));
  if (extra === undefined) return undefined;
  const name = TABLE_WORDS[extra] ?? wordsOf(extra);
  return `${name} after the table is not allowed; write-back reads and updates the table as it is.`;
}

function badName({ path }: TableReading): string | undefined {
  if (path.length <= MOST_PARTS && path.every(isPlainName)) return undefined;
  return `"${path.join('.')}" is not the name of a table; write table, schema.table or database.schema.table.`;
}

const TABLE_WORDS: Readonly<Record<string, string>> = {
  table_sample: 'TABLESAMPLE',
  when: 'Time travel (AT, BEFORE)',
  version: 'Time travel (VERSION, TIMESTAMP AS OF)',
  system_time: 'Time travel (FOR SYSTEM_TIME)',
  changes: 'CHANGES',
  only: 'ONLY',
  column_aliases: 'A list of other column names',
};

/** Tells whether a name needs no quotes. BigQuery's projects may contain a hyphen. */
function isPlainName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_$-]*$/u.test(name);
}

/** Finds a query inside WHERE. Other rules find queries elsewhere. */
export function findSubquery({ select, tokens }: WriteBackReading): Finding | undefined {
  let found = false;
  visitNodes(select.where_clause, ({ kind }) => {
    found ||= kind === 'select' || kind === 'subquery' || kind === 'exists';
  });
  if (!found) return undefined;
  const message =
    'A subquery in WHERE is not allowed; WHERE can only use columns of the row. Store the condition in a column.';
  const [, inner] = tokens.filter(({ type }) => type === 'SELECT');
  return { message, offset: inner?.start ?? place('WHERE', tokens) };
}
