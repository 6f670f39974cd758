// The rows of one statement, complete and in the server's order.
import { AppError, systemClock } from '../../../src/kernel/index.ts';
import { type Link, RefusedCall } from '../link.ts';
import { int64, type OperationHandle, type RowSet } from '../sdk.ts';

export interface FetchedRows {
  /** Rows of the answer; undefined where the statement has none at all. */
  readonly rows: RowSet | undefined;
  readonly hasMore: boolean;
}

/**
 * Returns a fetcher of the next rows, with a maximum. Throws WAREHOUSE_SESSION_LOST for an answer that leaves rows out: none
 * where more were announced, or rows that begin after a gap. Neither must pass for the end.
 */
export function rowFetcher(link: Link, operationHandle: OperationHandle): (mostRows: number) => Promise<FetchedRows> {
  let count = 0;
  let isMoreDue = false;
  return async (mostRows) => {
    const { results, hasMoreRows } = await nextRows(link, { operationHandle, mostRows });
    const rows = results ?? undefined;
    if (rows === undefined && hasMoreRows !== true && isMoreDue)
      throw cut(`stopped sending rows after ${count}, although more were announced`);
    // as in Databricks' own driver for Python; a server that does not count says 0
    const from = Number(rows?.startRowOffset ?? 0);
    if (from > count) throw cut(`continued with row ${from} after ${count} rows`);
    count += arrowRows(rows) + columnRows(rows);
    // some servers send results in columns with a flag that is always false: such results end with a set without rows
    isMoreDue = hasMoreRows === true || columnRows(rows) > 0;
    return { rows, hasMore: isMoreDue };
  };
}

interface WantedRows {
  readonly operationHandle: OperationHandle;
  readonly mostRows: number;
  /** Row from which on they are wanted; default: the next. */
  readonly from?: number;
}

/**
 * Fetches the next rows. Waits while the server is still at work: an answer without rows then does not mean that there are
 * none.
 */
export async function nextRows(link: Link, { operationHandle, mostRows, from }: WantedRows) {
  const { FETCH_NEXT } = link.sdk.wire.TFetchOrientation;
  const start = from === undefined || from === 0 ? {} : { startRowOffset: int64(from) };
  const question = { operationHandle, orientation: FETCH_NEXT, maxRows: int64(mostRows), fetchType: 0, ...start };
  for (const until = systemClock.nowMs() + link.timeoutMs; ; await systemClock.sleep(STILL_AT_WORK_MS)) {
    const answer = await link.call('fetchResults', question);
    if (answer.status.statusCode !== link.sdk.wire.TStatusCode.STILL_EXECUTING_STATUS) return answer;
    if (systemClock.nowMs() >= until) throw overdue(link);
  }
}

const STILL_AT_WORK_MS = 100;

function overdue({ timeoutMs }: Link): RefusedCall {
  return new RefusedCall('TIMEDOUT', `The statement had no further rows ready for ${timeoutMs / 1000} s.`);
}

function cut(what: string): AppError {
  return new AppError(
    'WAREHOUSE_SESSION_LOST',
    `The warehouse ${what}; the rows in between are missing and are read again.`,
  );
}

function arrowRows(rows: RowSet | undefined): number {
  return (rows?.arrowBatches ?? []).reduce((sum, { rowCount }) => sum + Number(rowCount), 0);
}

function columnRows(rows: RowSet | undefined): number {
  const [first] = rows?.columns ?? [];
  const { values } = Object.values(first ?? {}).find((value) => value != null) ?? {};
  return Array.isArray(values) ? values.length : 0;
}
