// One statement on the server: started, awaited, fetched, cancelled, closed.
import { systemClock } from '../../src/kernel/index.ts';
import { type Link, RefusedCall } from './link.ts';
import type { BoundSql } from './render.ts';
import { type FetchedRows, rowFetcher } from './rows/fetch-rows.ts';
import { fileFetcher } from './rows/file-fetcher.ts';
import { type Execution, int64, type Metadata, type OperationHandle, type SessionHandle } from './sdk.ts';

export interface StartedStatement {
  /** Resolves when the server has rows, or begins to; false for a statement without a result. */
  finish(): Promise<boolean>;
  metadata(): Promise<Metadata>;
  fetch(mostRows: number): Promise<FetchedRows>;
  /** Fetches the next file of a result that comes as links. */
  fetchFile(): Promise<FetchedRows>;
  cancel(): Promise<void>;
  close(): Promise<void>;
}

export interface StatementToStart extends BoundSql {
  /** Tags for the query history of the warehouse. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The result may come as links to files in cloud storage. */
  readonly mayLink?: boolean;
}

/** Starts a statement. The server answers at once and works on, and the handle allows to cancel the statement. */
export async function startStatement(
  link: Link,
  sessionHandle: SessionHandle,
  { text, parameters, tags, mayLink = false }: StatementToStart,
): Promise<StartedStatement> {
  const execution = {
    sessionHandle,
    statement: text,
    runAsync: true,
    // clusters obey this; SQL warehouses obey the session's STATEMENT_TIMEOUT
    queryTimeout: int64(Math.ceil(link.timeoutMs / 1000)),
    canReadArrowResult: true,
    canDownloadResult: mayLink,
    maxBytesPerFile: int64(FILE_BYTES),
    canDecompressLZ4Result: false,
    useArrowNativeTypes: {
      timestampAsArrow: true,
      decimalAsArrow: true,
      complexTypesAsArrow: false,
      intervalTypesAsArrow: false,
    },
    ...(tags === undefined ? {} : { confOverlay: { query_tags: tagText(tags) } }),
    parameters: parameters.map(({ name, value }) => ({ name, type: 'STRING', value: { stringValue: value } })),
  };
  const { operationHandle } = await link.call('executeStatement', execution as unknown as Execution);
  if (operationHandle == null)
    throw new RefusedCall('ERROR', 'The server did not start the statement and gave no reason.');
  const ending = new AbortController();
  const { signal } = ending;
  return {
    finish: () => waitFor(link, operationHandle),
    metadata: () => link.call('getResultSetMetadata', { operationHandle }),
    fetch: rowFetcher(link, operationHandle),
    fetchFile: fileFetcher({ link, operationHandle, signal }),
    async cancel() {
      ending.abort();
      await link.call('cancelOperation', { operationHandle });
    },
    async close() {
      ending.abort();
      await link.call('closeOperation', { operationHandle });
    },
  };
}

/** Bytes of a file for which the server is asked; two are in memory at once. */
const FILE_BYTES = 10 * 1024 * 1024;

/** Writes tags as the SDK does: `name:value`, separated by commas, with backslashes before characters of the notation. */
export function tagText(tags: Readonly<Record<string, string>>): string {
  return Object.entries(tags)
    .map(
      ([name, value]) =>
        `${name.replaceAll('\\', '\\\\')}:${value.slice(0, MOST_TAG_CHARS).replace(/[\\:,]/g, '\\$&')}`,
    )
    .join(',');
}

const MOST_TAG_CHARS = 128;
const POLL_MS = [5, 10, 20, 40, 80, 150, 250];
const LONGEST_POLL_MS = 250;

async function waitFor(link: Link, operationHandle: OperationHandle): Promise<boolean> {
  const until = systemClock.nowMs() + link.timeoutMs * 1.1 + 1000;
  for (let look = 0; systemClock.nowMs() < until; look++) {
    const status = await lookPatiently(link, operationHandle);
    if (status !== undefined) return status.hasResultSet ?? operationHandle.hasResultSet;
    await systemClock.sleep(POLL_MS[look] ?? LONGEST_POLL_MS);
  }
  throw new RefusedCall('TIMEDOUT', `The statement took longer than ${link.timeoutMs / 1000} s.`);
}

/** Polls the status and repeats a poll that fails: the statement itself works on. */
async function lookPatiently(link: Link, operationHandle: OperationHandle) {
  for (let failures = 1; ; failures++) {
    try {
      return await statusOf(link, operationHandle);
    } catch (failure) {
      if (failure instanceof RefusedCall || failures > MOST_FAILED_LOOKS) throw failure;
    }
    await systemClock.sleep(failures * FAILED_LOOK_MS);
  }
}

const MOST_FAILED_LOOKS = 3;
const FAILED_LOOK_MS = 300;

/** Returns the status of a statement that ended, or undefined while it works on. */
async function statusOf(link: Link, operationHandle: OperationHandle) {
  const { TOperationState: states } = link.sdk.wire;
  const status = await link.call('getOperationStatus', { operationHandle });
  const { operationState: state, sqlState } = status;
  const message =
    status.displayMessage ?? status.errorMessage ?? 'The statement failed, and the server gave no reason.';
  switch (state) {
    case states.FINISHED_STATE:
      return status;
    case states.CANCELED_STATE:
      throw new RefusedCall('CANCELED', 'The statement was cancelled in the warehouse.', sqlState);
    case states.CLOSED_STATE:
      throw new RefusedCall('CLOSED', 'The statement was closed in the warehouse.', sqlState);
    case states.TIMEDOUT_STATE:
      throw new RefusedCall('TIMEDOUT', `The statement took longer than ${link.timeoutMs / 1000} s.`, sqlState);
    case states.ERROR_STATE:
    case states.UKNOWN_STATE:
      throw new RefusedCall('ERROR', message, sqlState);
    default:
      return undefined;
  }
}
