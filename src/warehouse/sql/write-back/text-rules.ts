// Finds spellings that the query rules of write-back forbid: quotes, semicolons and comments.
import { isRecord } from '../syntax-tree.ts';
import type { Finding, WriteBackReading } from './read-model.ts';

/** Finds a comment: anything but white space between two tokens, before the first or after the last, or a hint. */
export function findComment({ sql, tokens }: WriteBackReading): Finding | undefined {
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

export function findSemicolon({ tokens }: WriteBackReading): Finding | undefined {
  const last = tokens.at(-1);
  if (last?.type !== 'SEMICOLON') return undefined;
  return { message: 'A trailing semicolon is not allowed in a write-back model; remove it.', offset: last.start };
}

export function findQuotes({ sql, tokens, table }: WriteBackReading): Finding | undefined {
  const isTable = isRecord(table.fields.name) && table.fields.name.quoted === true;
  const quoted =
    tokens.find(({ type }) => type === 'QUOTED_IDENTIFIER') ??
    // DuckDB reads a file whose name is a text
    (isTable ? tokens.find(({ type }) => type === 'STRING') : undefined);
  if (quoted === undefined) return undefined;
  const message =
    `Quotes around names are not allowed (${sql.slice(quoted.start, quoted.end)}); write columns, table, schema and ` +
    'database without quotes, and rename them in the warehouse if they need quotes.';
  return { message, offset: quoted.start };
}
