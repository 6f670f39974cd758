import type { Cell } from '../../../src/warehouse/index.ts';
import type { ServerSession } from '../server-session.ts';
import type { StartedStatement, StatementToStart } from '../statement.ts';
import { useStatement } from '../use-statement.ts';
import { type Batch, batchOpener } from './batches.ts';
import type { Shape } from './shapes.ts';

/** A row as texts. */
export type TextRow = readonly (string | null)[];

const TEXT: Shape = { type: 'text', nativeType: 'string' };
const FETCHED_ROWS = 1000;

/** Returns the rows of a small statement of our own. */
export function fetchTexts(
  session: ServerSession,
  sql: string | StatementToStart,
  signal: AbortSignal,
): Promise<readonly TextRow[]> {
  const toStart = typeof sql === 'string' ? { text: sql, parameters: [] } : sql;
  const work = async (statement: StartedStatement, hasRows: boolean) =>
    hasRows ? (await fetchAll(session, statement)).flatMap(rowsOf) : [];
  return useStatement(session, toStart, { signal, work });
}

async function fetchAll({ sdk }: ServerSession, statement: StartedStatement): Promise<readonly Batch[]> {
  const metadata = await statement.metadata();
  const shapes = (metadata.schema?.columns ?? []).map(() => TEXT);
  const open = batchOpener(sdk, metadata, shapes);
  const batches: Batch[] = [];
  for (let hasMore = true; hasMore; ) {
    const fetched = await statement.fetch(FETCHED_ROWS);
    if (fetched.rows !== undefined) batches.push(...open(fetched.rows));
    hasMore = fetched.hasMore;
  }
  return batches;
}

function rowsOf({ rows, readers }: Batch): readonly TextRow[] {
  return Array.from({ length: rows }, (_, row) => readers.map((read) => textOf(read(row))));
}

function textOf(cell: Cell): string | null {
  return cell === null ? null : String(cell);
}
