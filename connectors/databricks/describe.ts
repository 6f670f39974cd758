import { AppError } from '../../src/kernel/index.ts';
import { type Column, requireDistinctColumns, type Statement } from '../../src/warehouse/index.ts';
import { fetchTexts } from './rows/fetch-texts.ts';
import { requireReadable } from './rows/nested.ts';
import { columnOf, parseShape, type Shape } from './rows/shapes.ts';
import type { ServerSession } from './server-session.ts';
import { describeSql } from './statements.ts';

export interface Described {
  readonly columns: readonly Column[];
  readonly shapes: readonly Shape[];
}

/** Describes the columns by DESCRIBE QUERY. Nothing runs, and a statement that is no query is a syntax error. */
export async function describe(session: ServerSession, statement: Statement, signal: AbortSignal): Promise<Described> {
  const rows = await fetchTexts(session, describeSql(statement), signal);
  if (rows.length === 0)
    throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse returned no columns for the statement.');
  const described = rows.map(([name, type]) => ({ name: name ?? '', shape: parseShape(type ?? '') }));
  const columns = requireDistinctColumns(described.map(({ name, shape }) => columnOf(name, shape)));
  for (const { name, shape } of described) requireReadable(name, shape);
  return { columns, shapes: described.map(({ shape }) => shape) };
}
