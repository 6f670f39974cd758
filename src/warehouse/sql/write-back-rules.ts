// The rules of 002, Identity resolution in a warehouse table, 5, one entry each: what breaks it, where, and what to write
// instead. Pure. What is not named here is not allowed either: clauses and sources are on a list of those that are.
import { place } from './find-refused.ts';
import type { Token } from './parser.ts';
import type { Projected } from './read-projection.ts';
import { identityOf, type WriteBackReading } from './read-write-back.ts';
import { isRecord, visitNodes } from './syntax-tree.ts';

export type WriteBackRule =
  | 'comment'
  | 'semicolon'
  | 'quotes'
  | 'one_select'
  | 'join'
  | 'one_table'
  | 'subquery'
  | 'aggregate'
  | 'clause'
  | 'star'
  | 'expression'
  | 'alias'
  | 'reserved_name'
  | 'twice'
  | 'identity'
  | 'mpid';

export interface Finding {
  readonly message: string;
  /** UTF-16 offset in the text. */
  readonly offset: number;
}

interface Rule {
  readonly rule: WriteBackRule;
  readonly find: (model: WriteBackReading) => Finding | undefined;
}

export const WRITE_BACK_RULES: readonly Rule[] = [
  // not shown: comments; rulings §7, SQL models: "a write-back model may have none"
  { rule: 'comment', find: findComment },
  { rule: 'semicolon', find: findSemicolon },
  { rule: 'quotes', find: findQuotes },
  { rule: 'one_select', find: findOtherQuery },
  { rule: 'join', find: findJoin },
  { rule: 'one_table', find: findOtherSource },
  { rule: 'subquery', find: findSubquery },
  { rule: 'aggregate', find: findAggregate },
  // not shown: other clauses; each of them hides rows that have the same key, or makes one row of several
  { rule: 'clause', find: findClause },
  {
    rule: 'star',
    find: firstOf(['star'], ({ text }) => `${text || '*'} is not allowed; name each column that is projected.`),
  },
  {
    rule: 'expression',
    find: firstOf(
      ['expression', 'nested'],
      ({ text }) =>
        `"${text}" is no column of the table; project columns as they stand, and store what has to be computed in a column.`,
    ),
  },
  {
    rule: 'alias',
    find: firstOf(
      ['alias'],
      ({ text }) =>
        `"${text}" renames a column; project it under its own name, and rename it in the table if that name is not ` +
        'reserved.',
    ),
  },
  { rule: 'reserved_name', find: findOtherName },
  { rule: 'twice', find: findTwice },
  { rule: 'identity', find: findNoIdentity },
  { rule: 'mpid', find: findNoMpid },
];

/** Between two tokens, before the first and after the last there is nothing but white space and comments. */
function findComment({ sql, tokens }: WriteBackReading): Finding | undefined {
  const edges = [...tokens, { start: sql.length, end: sql.length }];
  let from = 0;
  for (const { start, end } of edges) {
    const between = sql.slice(from, start);
    if (between.trim() !== '') return comment(from + between.length - between.trimStart().length);
    from = end;
  }
  const hint = tokens.find(({ type }) => type === 'HINT');
  return hint === undefined ? undefined : comment(hint.start);
}

function comment(offset: number): Finding {
  return { message: 'Comments are not allowed in a write-back model; remove them.', offset };
}

function findSemicolon({ tokens }: WriteBackReading): Finding | undefined {
  const last = tokens.at(-1);
  if (last?.type !== 'SEMICOLON') return undefined;
  return { message: 'A trailing semicolon is not allowed in a write-back model; remove it.', offset: last.start };
}

function findQuotes({ sql, tokens, table }: WriteBackReading): Finding | undefined {
  const isTable = isRecord(table.fields.name) && table.fields.name.quoted === true;
  const quoted =
    tokens.find(({ type }) => type === 'QUOTED_IDENTIFIER') ??
    // DuckDB reads the file that a text names
    (isTable ? tokens.find(({ type }) => type === 'STRING') : undefined);
  if (quoted === undefined) return undefined;
  const message =
    `Quotes around names are not allowed (${sql.slice(quoted.start, quoted.end)}); write columns, table, schema and ` +
    'database without them, and rename in the warehouse what needs them.';
  return { message, offset: quoted.start };
}

function findOtherQuery({ root, select, tokens }: WriteBackReading): Finding | undefined {
  const word = root.kind === 'subquery' ? '(' : root.kind === 'select' ? undefined : root.kind.toUpperCase();
  const construct = word ?? (isRecord(select.with) ? 'WITH' : undefined);
  if (construct === undefined) return undefined;
  const name = construct === '(' ? 'A query in parentheses' : construct;
  return { message: `${name} is not allowed; ${ONE_SELECT}`, offset: place(construct, tokens) };
}

const ONE_SELECT = 'a write-back model is one SELECT of columns FROM one table, with WHERE if need be.';

function findJoin({ select, sources, tokens }: WriteBackReading): Finding | undefined {
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

/** Parts of a table that do not change which rows it has. */
const PLAIN_TABLE: ReadonlySet<string> = new Set(['name', 'schema', 'catalog', 'alias', 'alias_explicit_as', 'span']);
const MOST_PARTS = 3;

function findOtherSource({ table, sources, tokens, root }: WriteBackReading): Finding | undefined {
  if (root.kind !== 'select') return undefined;
  const offset = place('FROM', tokens);
  if (table.path.length === 0) {
    const what = sources.length === 0 ? 'FROM names no table' : 'FROM names something else than a table';
    return { message: `${what}; ${ONE_SELECT}`, offset };
  }
  const extra = Object.keys(table.fields).find((field) => !PLAIN_TABLE.has(field) && isSet(table.fields[field]));
  if (extra !== undefined) {
    const name = TABLE_WORDS[extra] ?? wordsOf(extra);
    return {
      message: `${name} after the table is not allowed; write-back reads and updates the table as it is.`,
      offset,
    };
  }
  // what is quoted has a complaint of its own
  if (tokens.some(({ type }) => type === 'QUOTED_IDENTIFIER')) return undefined;
  if (table.path.length <= MOST_PARTS && table.path.every(isPlainName)) return undefined;
  const message = `"${table.path.join('.')}" is no name of a table; write table, schema.table or database.schema.table.`;
  return { message, offset };
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

/** The hyphen is part of a BigQuery project's name. */
function isPlainName(name: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_$-]*$/u.test(name);
}

/** Queries outside of WHERE are other sources. */
function findSubquery({ select, tokens }: WriteBackReading): Finding | undefined {
  let found = false;
  visitNodes(select.where_clause, ({ kind }) => {
    found ||= kind === 'select' || kind === 'subquery' || kind === 'exists';
  });
  if (!found) return undefined;
  const message =
    'A query inside WHERE is not allowed; WHERE may look at the columns of the row alone. Keep what decides in a column.';
  const [, inner] = tokens.filter(({ type }) => type === 'SELECT');
  return { message, offset: inner?.start ?? place('WHERE', tokens) };
}

function findAggregate({ projection, select, tokens }: WriteBackReading): Finding | undefined {
  const advice = 'each row of the table is resolved by itself; project the columns.';
  const function_ = projection.find(({ kind }) => kind === 'aggregate');
  if (function_ !== undefined) {
    return { message: `The aggregate "${function_.text}" is not allowed; ${advice}`, offset: function_.offset };
  }
  const word = AGGREGATE_CLAUSES.find(([field]) => isSet(select[field]))?.[1];
  return word === undefined ? undefined : { message: `${word} is not allowed; ${advice}`, offset: place(word, tokens) };
}

const AGGREGATE_CLAUSES: readonly (readonly [string, string])[] = [
  ['distinct', 'DISTINCT'],
  ['distinct_on', 'DISTINCT'],
  ['group_by', 'GROUP BY'],
  ['having', 'HAVING'],
  ['qualify', 'QUALIFY'],
  ['windows', 'WINDOW'],
];

/** Clauses that are allowed, and those that another rule speaks of. */
const OTHER_RULES: ReadonlySet<string> = new Set([
  ...['expressions', 'from', 'where_clause', 'joins', 'lateral_views', 'with', 'leading_comments', 'hint', 'span'],
  ...AGGREGATE_CLAUSES.map(([field]) => field),
]);

function findClause({ select, tokens }: WriteBackReading): Finding | undefined {
  const field = Object.keys(select).find((name) => !OTHER_RULES.has(name) && isSet(select[name]));
  if (field === undefined) return undefined;
  const word = CLAUSE_WORDS[field] ?? wordsOf(field);
  return { message: `${word} is not allowed; leave it out: ${ONE_SELECT}`, offset: place(word, tokens) };
}

const CLAUSE_WORDS: Readonly<Record<string, string>> = { connect: 'CONNECT BY', kind: 'AS' };

function wordsOf(field: string): string {
  return field.replaceAll('_', ' ').trim().toUpperCase();
}

function isSet(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== false;
}

function firstOf(kinds: readonly Projected['kind'][], say: (field: Projected) => string): Rule['find'] {
  return ({ projection }) => {
    const field = projection.find(({ kind }) => kinds.includes(kind));
    return field === undefined ? undefined : { message: say(field), offset: field.offset };
  };
}

function findOtherName({ projection, identities }: WriteBackReading): Finding | undefined {
  const wrong = named(projection).filter(({ name }) => !isReserved(name, identities));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const names = wrong.map(({ name }) => `"${name}"`).join(', ');
  const message =
    `${names} ${wrong.length === 1 ? 'is no reserved identity name' : 'are no reserved identity names'}; a write-back ` +
    `model projects MPID and identities alone: ${Object.keys(identities).join(', ')}. Leave out the others, or rename ` +
    'them in the table.';
  return { message, offset: first.offset };
}

function isReserved(name: string, identities: WriteBackReading['identities']): boolean {
  return name.toLowerCase() === 'mpid' || identityOf(name, identities) !== undefined;
}

/** Columns, renamed or not: what the rows call their fields. */
function named(projection: readonly Projected[]): readonly Projected[] {
  return projection.filter(({ kind }) => kind === 'column' || kind === 'alias');
}

function findTwice({ projection, identities }: WriteBackReading): Finding | undefined {
  const meaning = (name: string) => identityOf(name, identities) ?? name.toLowerCase();
  const groups = Map.groupBy(named(projection), ({ name }) => meaning(name));
  for (const [type, [first, second]] of groups) {
    if (first === undefined || second === undefined) continue;
    const message = `"${first.name}" and "${second.name}" both mean ${type}; project one of them.`;
    return { message, offset: second.offset };
  }
  return undefined;
}

function findNoIdentity({ projection, identities, tokens }: WriteBackReading): Finding | undefined {
  const has = named(projection).some(({ name }) => identityOf(name, identities) !== undefined);
  // a star may have some
  if (has || projection.some(({ kind }) => kind === 'star')) return undefined;
  const message =
    'The model projects no identity, so that its rows belong to nobody and cannot be addressed; add a column such as ' +
    'customer_id or email.';
  return { message, offset: place('SELECT', tokens) };
}

function findNoMpid({ projection, tokens }: WriteBackReading): Finding | undefined {
  const has = named(projection).some(({ name }) => name.toLowerCase() === 'mpid');
  if (has || projection.some(({ kind }) => kind === 'star')) return undefined;
  const message = 'The projection does not include MPID; add the column MPID, which the resolved ids are written to.';
  return { message, offset: place('SELECT', tokens) };
}
