// Rows in the server's sets, fetched one set ahead of the reader. The size of a set fits the bytes of a chunk.
import type { ReadRequest } from '../../../src/warehouse/index.ts';
import type { RowSet } from '../sdk.ts';
import type { UsedStatement } from '../use-statement.ts';
import type { Batch, OpenBatches } from './batches.ts';
import type { FetchedRows } from './fetch-rows.ts';

export interface RowSource {
  /** Begins with the first rows and waits for them, so that a failure shows before any row was handed over. */
  begin(): Promise<void>;
  /** Returns the next rows, or undefined at the end. */
  next(): Promise<readonly Batch[] | undefined>;
  /** A fetch is under way on the server. */
  readonly isFetching: boolean;
}

export interface RowSourceJob {
  readonly used: UsedStatement;
  readonly open: OpenBatches;
  readonly request: Pick<ReadRequest, 'chunkRows' | 'chunkBytes'>;
  readonly signal: AbortSignal;
  /** The rows come in files behind links. */
  readonly isLinked: boolean;
}

/** Rows of the first set, which shows how large rows are. */
const FIRST_ROWS = 1000;
const MOST_ROWS = 50_000;

export function createRowSource({ used, open, request, signal, isLinked }: RowSourceJob): RowSource {
  let ahead: Promise<FetchedRows> | undefined;
  let isFetching = false;
  let most = Math.min(FIRST_ROWS, request.chunkRows);
  const fetch = (): Promise<FetchedRows> => {
    isFetching = true;
    const fetching = used
      .guard(signal, () => (isLinked ? used.statement.fetchFile() : used.statement.fetch(most)))
      .finally(() => {
        isFetching = false;
      });
    // the next call rethrows the failure
    fetching.catch(() => undefined);
    return fetching;
  };
  return {
    get isFetching() {
      return isFetching;
    },
    async begin() {
      ahead = fetch();
      await ahead;
    },
    async next() {
      const { rows, hasMore } = await (ahead ?? fetch());
      ahead = undefined;
      if (rows === undefined) return hasMore ? [] : undefined;
      const batches = open(rows);
      const count = batches.reduce((sum, { rows: some }) => sum + some, 0);
      if (count === 0 && !hasMore) return undefined;
      most = rowsOf(request, bytesOf(rows), count);
      if (hasMore) ahead = fetch();
      else ahead = Promise.resolve({ rows: undefined, hasMore: false });
      return batches;
    },
  };
}

/** Returns the rows of the next set, about half of a chunk's bytes: two sets are in memory at once. */
function rowsOf({ chunkRows, chunkBytes }: RowSourceJob['request'], bytes: number, count: number): number {
  const fitting = bytes === 0 ? MOST_ROWS : Math.floor((chunkBytes * count) / (2 * bytes));
  return Math.max(1, Math.min(fitting, MOST_ROWS, 2 * chunkRows));
}

function bytesOf({ arrowBatches, columns }: RowSet): number {
  const inArrow = (arrowBatches ?? []).reduce((sum, { batch }) => sum + batch.length, 0);
  return (columns ?? []).reduce((sum, { stringVal, binaryVal }) => {
    const values: readonly { readonly length: number }[] = stringVal?.values ?? binaryVal?.values ?? [];
    return values.reduce((of, value) => of + value.length, sum + 8);
  }, inArrow);
}
