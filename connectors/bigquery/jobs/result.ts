// The result of a job as pages of the REST API: waited for, then taken page by page.
import { AppError } from '../../../src/kernel/index.ts';
import type { Piece, Row } from '../../_shared/cut-chunks.ts';
import { type Shape, shapeOf } from '../cells/types.ts';
import { wireReader } from '../cells/wire-cells.ts';
import type { Client } from '../client.ts';
import type { JobReference, WirePage, WireRow } from '../wire.ts';

export interface JobResult extends JobPage {
  readonly shapes: readonly Shape[];
  readonly totalRows: number;
}

/** Rows that are asked for while nothing is known of them, not even how wide they are. */
const FIRST_PAGE_ROWS = 1000;
/** The server answers at the latest after so long, whether the job is done or not. */
const WAIT_MS = 10_000;

export interface JobPage {
  readonly job: JobReference;
  readonly page: WirePage;
}

/** Waits until the job is done, and gives what comes first of its result; a job that failed throws its reason. */
export async function awaitPage(client: Client, job: JobReference, signal: AbortSignal): Promise<WirePage> {
  for (;;) {
    const page = await fetchPage(client, job, { query: { maxResults: FIRST_PAGE_ROWS, timeoutMs: WAIT_MS }, signal });
    if (page.jobComplete !== false) return page;
  }
}

/** The same of a SELECT. */
export async function awaitResult(client: Client, job: JobReference, signal: AbortSignal): Promise<JobResult> {
  const page = await awaitPage(client, job, signal);
  const fields = page.schema?.fields;
  if (fields === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery gave no columns of the result.');
  return { job, page, shapes: fields.map(shapeOf), totalRows: Number(page.totalRows ?? 0) };
}

interface PageRequest {
  readonly query: { readonly maxResults: number; readonly timeoutMs?: number; readonly pageToken?: string };
  readonly signal: AbortSignal;
}

function fetchPage(client: Client, { jobId, location }: JobReference, request: PageRequest): Promise<WirePage> {
  // as integers instants are exact: else they come as seconds in floating point
  const query = { ...request.query, location, 'formatOptions.useInt64Timestamp': true };
  return client.call<WirePage>({ method: 'GET', path: `/queries/${jobId}`, query }, request.signal);
}

/** Cells of one page: the SDK copies each answer twice over, in one go, which holds up everything else meanwhile. */
const PAGE_CELLS = 20_000;
const MOST_PAGE_ROWS = 10_000;

/** The pages of a result, the first one known already; the next is fetched while this one is worked on. */
export async function* pagesFrom(
  client: Client,
  { job, page: first }: JobPage,
  signal: AbortSignal,
): AsyncGenerator<WirePage, undefined> {
  const width = Math.max(1, first.schema?.fields?.length ?? 1);
  const maxResults = Math.min(MOST_PAGE_ROWS, Math.max(100, Math.ceil(PAGE_CELLS / width)));
  const next = ({ pageToken }: WirePage): Promise<WirePage> | undefined => {
    if (pageToken === undefined || pageToken === '') return undefined;
    const page = fetchPage(client, job, { query: { maxResults, pageToken }, signal });
    // nobody may be waiting any more when it fails
    page.catch(() => undefined);
    return page;
  };
  for (let page: WirePage | undefined = first; page !== undefined; ) {
    const ahead = next(page);
    yield page;
    page = await ahead;
  }
}

export async function* piecesOf(
  client: Client,
  result: JobResult,
  signal: AbortSignal,
): AsyncGenerator<Piece, undefined> {
  const readers = result.shapes.map(wireReader);
  for await (const { rows = [] } of pagesFrom(client, result, signal)) yield pieceOf(rows, readers);
}

function pieceOf(rows: readonly WireRow[], readers: readonly ReturnType<typeof wireReader>[]): Piece {
  return {
    rowCount: rows.length,
    rows: (from, to) =>
      rows.slice(from, to).map(({ f }): Row => readers.map((read, column) => read(f[column]?.v ?? null))),
  };
}
