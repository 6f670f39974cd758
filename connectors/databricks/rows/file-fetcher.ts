// CloudFetch: the rows of large results as Arrow files in the vendor's cloud storage, behind links that are good for minutes.
// The storage is asked over guarded sockets, without the token of the warehouse.
import { AppError, systemClock } from '../../../src/kernel/index.ts';
import type { Link } from '../link.ts';
import type { OperationHandle, ResultLink, RowSet } from '../sdk.ts';
import { type FetchedRows, nextRows } from './fetch-rows.ts';

export interface FileFetcherDeps {
  readonly link: Link;
  readonly operationHandle: OperationHandle;
  /** Ends downloads that are under way. */
  readonly signal: AbortSignal;
}

/** Rows for which links are asked for at once, as the SDK does. */
const LINKED_ROWS = 100_000;
/**
 * Bytes of one file, twice what `maxBytesPerFile` asks for. A read holds three files at most: the one being read, and the parts
 * and the whole of the next. So a read holds 60 MiB, whatever the server sends.
 */
const MOST_FILE_BYTES = 20 * 1024 * 1024;
/** A link is replaced when it has less time left than a download may take. */
const RENEWED_BEFORE_MS = 30_000;

/**
 * Returns a fetcher of the next file as one Arrow batch that has its schema. Throws WAREHOUSE_SESSION_LOST where rows are left
 * out, and WAREHOUSE_CONFIG or WAREHOUSE_UNREACHABLE for a storage that may not or cannot be reached.
 */
export function fileFetcher(deps: FileFetcherDeps): () => Promise<FetchedRows> {
  let links: readonly ResultLink[] = [];
  let hasMore = true;
  let count = 0;
  const ask = async (): Promise<ResultLink | undefined> => {
    const found = await askForLinks(deps, count);
    [links, hasMore] = [found.links, found.hasMore];
    return links[0];
  };
  const next = async (): Promise<ResultLink | undefined> => {
    const [first] = links;
    if (first === undefined) return hasMore ? await ask() : undefined;
    return isExpired(first) ? await ask() : first;
  };
  return async () => {
    const first = await next();
    if (first === undefined) return { rows: undefined, hasMore };
    requireRow(first, count);
    const file = (await download(deps, first)) ?? (await downloadAgain(deps, await ask()));
    const { startRowOffset, rowCount } = first;
    count += Number(rowCount);
    links = links.slice(1);
    const rows = { startRowOffset, rows: [], arrowBatches: [{ batch: file, rowCount }] } satisfies RowSet;
    return { rows, hasMore: links.length > 0 || hasMore };
  };
}

/** Asks for links from a row on, which also replaces those that are no longer good. */
async function askForLinks({ link, operationHandle }: FileFetcherDeps, from: number) {
  const { results, hasMoreRows } = await nextRows(link, { operationHandle, mostRows: LINKED_ROWS, from });
  const links = results?.resultLinks ?? [];
  if (links[0] !== undefined) requireRow(links[0], from);
  // a server need not say how long a file is, or say the truth; the download is bounded, too
  if (links.some(({ bytesNum }) => Number(bytesNum) > MOST_FILE_BYTES)) throw tooLarge();
  if (links.length === 0 && hasMoreRows === true) throw lost('sent no links, although more rows were announced');
  return { links, hasMore: hasMoreRows === true };
}

function requireRow({ startRowOffset }: ResultLink, row: number): void {
  const found = Number(startRowOffset);
  if (found !== row) throw lost(`continued with row ${found} after ${row} rows`);
}

function isExpired({ expiryTime }: ResultLink): boolean {
  return Number(expiryTime) - RENEWED_BEFORE_MS <= systemClock.nowMs();
}

/** Downloads a file. Returns undefined where the storage does not take the link any more. */
async function download({ link, signal }: FileFetcherDeps, file: ResultLink): Promise<Buffer | undefined> {
  const request = { mostBytes: MOST_FILE_BYTES, idleMs: link.limitMs, headers: storageHeaders(file.httpHeaders) };
  const url = new URL(file.fileLink);
  const { status, body, isWhole } = await link.requester.sendAny({ ...request, url }, signal);
  if (!isWhole) throw tooLarge();
  if (status === 200) return body;
  if (status === 403 || status === 404) return undefined;
  // the link itself is a credential
  throw lost(`linked to a file at ${url.host}, which answered HTTP ${status}`);
}

async function downloadAgain(deps: FileFetcherDeps, file: ResultLink | undefined): Promise<Buffer> {
  const bytes = file === undefined ? undefined : await download(deps, file);
  if (bytes === undefined) throw lost('refuses its own links to files');
  return bytes;
}

/**
 * Headers that the storage of a vendor's cloud wants with a link: the key of an encrypted file.
 * https://docs.databricks.com/api/workspace/statementexecution (`http_headers`: "typically used to pass a decryption key")
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/specifying-s3-c-encryption.html
 * https://learn.microsoft.com/azure/storage/blobs/encryption-customer-provided-keys
 * https://cloud.google.com/storage/docs/encryption/customer-supplied-keys
 */
const STORAGE_HEADERS: ReadonlySet<string> = new Set([
  'x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-customer-key',
  'x-amz-server-side-encryption-customer-key-md5',
  // the first versions of Azure’s API take no keys
  'x-ms-version',
  'x-ms-encryption-key',
  'x-ms-encryption-key-sha256',
  'x-ms-encryption-algorithm',
  'x-goog-encryption-algorithm',
  'x-goog-encryption-key',
  'x-goog-encryption-key-sha256',
]);

/** Leaves out all other headers, because the server of the connection chooses them and the host that they go to. */
function storageHeaders(asked: ResultLink['httpHeaders']): Record<string, string> {
  return Object.fromEntries(Object.entries(asked ?? {}).filter(([name]) => STORAGE_HEADERS.has(name.toLowerCase())));
}

function tooLarge(): AppError {
  const message =
    `A file of the result has more than ${MOST_FILE_BYTES / 1024 / 1024} MiB. Return fewer or shorter columns, or ask the ` +
    'operator to set PENSTOCK_WAREHOUSE_HOSTS without hosts of cloud storage, so that rows come inline.';
  return new AppError('WAREHOUSE_DATA', message);
}

function lost(what: string): AppError {
  return new AppError('WAREHOUSE_SESSION_LOST', `The warehouse ${what}; the rows are read again.`);
}

const STORAGE =
  /(?:\.core\.(?:windows\.net|usgovcloudapi\.net|chinacloudapi\.cn)|\.amazonaws\.com(?:\.cn)?|storage\.googleapis\.com)$/;

/**
 * Tells whether to ask for links: where every host is allowed, or a host of cloud storage is. Otherwise each large statement
 * would run twice.
 */
export function mayReachStorage(allowedHosts: readonly string[]): boolean {
  return allowedHosts.length === 0 || allowedHosts.some((host) => STORAGE.test(host));
}
