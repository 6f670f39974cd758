import type { Column, Statement } from '../../src/warehouse/index.ts';
import { bindSql } from './link/bind.ts';
import type { Link } from './link/link.ts';
import type { RowStatement } from './sdk.ts';
import { columnOf } from './types.ts';

/** Columns of a statement; the server compiles it and runs nothing. */
export async function describe(link: Link, statement: Statement, signal: AbortSignal): Promise<readonly Column[]> {
  return columnsOf(await link.run(bindSql(statement), { signal, describeOnly: true }));
}

/** None where a statement answers nothing. */
export function columnsOf(statement: RowStatement): readonly Column[] {
  return (statement.getColumns() ?? []).map(columnOf);
}
