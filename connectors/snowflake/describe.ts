import type { Column, Statement } from '../../src/warehouse/index.ts';
import { bindSql } from './link/bind.ts';
import type { Link } from './link/link.ts';
import type { RowStatement } from './sdk.ts';
import { columnOf } from './types.ts';

/** Describes the columns of a statement; the server compiles it and runs nothing. */
export async function describe(link: Link, statement: Statement, signal: AbortSignal): Promise<readonly Column[]> {
  return columnsOf(await link.run(bindSql(statement), { signal, describeOnly: true }));
}

/** Returns the columns, or none for a statement without an answer. */
export function columnsOf(statement: RowStatement): readonly Column[] {
  return (statement.getColumns() ?? []).map(columnOf);
}
