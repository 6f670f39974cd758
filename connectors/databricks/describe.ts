import { AppError } from '../../src/kernel/index.ts';
import { type Column, requireDistinctColumns, type Statement } from '../../src/warehouse/index.ts';
import { RefusedCall } from './link.ts';
import { fetchTexts } from './rows/fetch-texts.ts';
import { requireReadable } from './rows/nested.ts';
import { columnOf, isCutOff, parseColumnShape, type Shape } from './rows/shapes.ts';
import type { ServerSession } from './server-session.ts';
import { describeSql, typesSql } from './statements.ts';

export interface Described {
  readonly columns: readonly Column[];
  readonly shapes: readonly Shape[];
}

interface Types {
  readonly statement: Statement;
  readonly types: readonly string[];
}

/** Returns the types with those that the server has cut off in full. A server that does not tell them leaves them cut off. */
async function wholeTypes(
  session: ServerSession,
  { statement, types }: Types,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const wanted = types.flatMap((type, at) => (isCutOff(type) ? [at] : []));
  if (wanted.length === 0) return types;
  const asked = typesSql(statement, { columns: types.length, wanted });
  const [whole = []] = await fetchTexts(session, asked, signal).catch((failure: unknown) => {
    if (failure instanceof RefusedCall && failure.state === 'ERROR') return [];
    throw failure;
  });
  return types.map((type, at) => whole[wanted.indexOf(at)] ?? type);
}

/** Describes the columns by DESCRIBE QUERY. Nothing runs, and a statement that is no query is a syntax error. */
export async function describe(session: ServerSession, statement: Statement, signal: AbortSignal): Promise<Described> {
  const rows = await fetchTexts(session, describeSql(statement), signal);
  if (rows.length === 0)
    throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse returned no columns for the statement.');
  const types = await wholeTypes(session, { statement, types: rows.map(([, type]) => type ?? '') }, signal);
  const described = rows.map(([name], at) => ({ name: name ?? '', shape: parseColumnShape(types[at] ?? '') }));
  const columns = requireDistinctColumns(described.map(({ name, shape }) => columnOf(name, shape)));
  for (const { name, shape } of described) requireReadable(name, shape);
  return { columns, shapes: described.map(({ shape }) => shape) };
}
