// The result of a job as pages of the REST API: awaited, then fetched page by page.
import { AppError } from '../../../src/kernel/index.ts';
import type { Piece, Row } from '../../_shared/cut-chunks.ts';
import { hasPicos, type Shape, shapeOf } from '../cells/types.ts';
import { wireReader } from '../cells/wire-cells.ts';
import type { Client } from '../client.ts';
import type { JobReference, WirePage, WireRow } from '../wire.ts';

export interface JobResult extends JobPage {
  readonly shapes: readonly Shape[];
  readonly totalRows: number;
}

/** Rows of the first page, when not even their width is known. */
const FIRST_PAGE_ROWS = 1000;
/** Time after which the server answers, whether the job is done or not. */
const WAIT_MS = 10_000;

export interface JobPage {
  readonly job: JobReference;
  readonly page: WirePage;
  /** Timestamps are ISO 8601 with twelve digits, in this page and the following ones. */
  readonly withPicos?: boolean;
}

/** Waits until the job is done, and returns the first page of its result. Throws the reason of a failed job. */
export async function awaitPage(client: Client, job: JobReference, signal: AbortSignal): Promise<WirePage> {
  for (;;) {
    const page = await fetchPage(client, job, { query: { maxResults: FIRST_PAGE_ROWS, timeoutMs: WAIT_MS }, signal });
    if (page.jobComplete !== false) return page;
  }
}

/** Waits for the result of a SELECT. */
export async function awaitResult(client: Client, job: JobReference, signal: AbortSignal): Promise<JobResult> {
  const page = await awaitPage(client, job, signal);
  const fields = page.schema?.fields;
  if (fields === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'BigQuery returned no columns for the result.');
  const shapes = fields.map(shapeOf);
  const result = { job, shapes, totalRows: Number(page.totalRows ?? 0) };
  if (!shapes.some(hasPicos)) return { ...result, page };
  const again = { query: { maxResults: FIRST_PAGE_ROWS }, signal, withPicos: true };
  return { ...result, page: await fetchPage(client, job, again), withPicos: true };
}

interface PageRequest {
  readonly query: { readonly maxResults: number; readonly timeoutMs?: number; readonly pageToken?: string };
  readonly signal: AbortSignal;
  readonly withPicos?: boolean | undefined;
}

function fetchPage(client: Client, { jobId, location }: JobReference, request: PageRequest): Promise<WirePage> {
  // as integers, instants are exact to the microsecond; without an option they are seconds in floating point
  const format = request.withPicos
    ? { 'formatOptions.timestampOutputFormat': 'ISO8601_STRING' }
    : { 'formatOptions.useInt64Timestamp': true };
  const query = { ...request.query, location, ...format };
  return client.call<WirePage>({ method: 'GET', path: `/queries/${jobId}`, query }, request.signal);
}

/** Cells of one page: the SDK copies each answer twice, synchronously, and blocks everything else meanwhile. */
const PAGE_CELLS = 20_000;
const MOST_PAGE_ROWS = 10_000;

/** Yields the pages of a result, the first of which is known. Fetches the next while the caller works on this one. */
export async function* pagesFrom(
  client: Client,
  { job, page: first, withPicos }: JobPage,
  signal: AbortSignal,
): AsyncGenerator<WirePage, undefined> {
  const width = Math.max(1, first.schema?.fields?.length ?? 1);
  const maxResults = Math.min(MOST_PAGE_ROWS, Math.max(100, Math.ceil(PAGE_CELLS / width)));
  const next = ({ pageToken }: WirePage): Promise<WirePage> | undefined => {
    if (pageToken === undefined || pageToken === '') return undefined;
    const page = fetchPage(client, job, { query: { maxResults, pageToken }, signal, withPicos });
    // the failure may come when nobody waits for it any more
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
