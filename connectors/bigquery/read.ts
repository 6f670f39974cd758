import { AppError } from '../../src/kernel/index.ts';
import type { ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cutChunks, type Piece } from '../_shared/cut-chunks.ts';
import { isReadAsArrow } from './cells/arrow.ts';
import type { Client } from './client.ts';
import { columnsOf, requireSelect } from './describe.ts';
import { beginJob, cancelOnAbort, dryRun } from './jobs/jobs.ts';
import { awaitResult, type JobResult, piecesOf } from './jobs/result.ts';
import type { Storage } from './storage.ts';

export interface ReadJob {
  readonly client: Client;
  readonly storage: Storage;
  readonly request: ReadRequest;
  readonly location: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads the rows of one statement. Its job ends before the first row, and its result never changes. */
export async function startRead(job: ReadJob): Promise<ReadResult> {
  const { request, signal } = job;
  const result = await runJob(job);
  const columns = columnsOf(result.shapes);
  const leaving = new AbortController();
  const stop = AbortSignal.any([signal, leaving.signal]);
  const chunks = cutChunks(counted(await rowsOf(job, result, stop), result.totalRows), columns, request);
  return {
    columns,
    chunks: {
      [Symbol.asyncIterator]: () => ({
        next: () => chunks.next(),
        return: async () => {
          leaving.abort();
          return await chunks.return(undefined);
        },
      }),
    },
  };
}

/** Number of rows from which opening a stream pays off. */
const STORAGE_ROWS = 5000;

/** Returns the rows as pages where the result is small, else as a stream. */
async function rowsOf(
  { client, storage }: ReadJob,
  result: JobResult,
  signal: AbortSignal,
): Promise<AsyncIterable<Piece>> {
  const isLarge = result.totalRows >= STORAGE_ROWS && result.shapes.every(isReadAsArrow);
  const streamed = isLarge ? await storage.read(result, signal) : undefined;
  return streamed ?? piecesOf(client, result, signal);
}

async function runJob({ client, request, location, signal }: ReadJob): Promise<JobResult> {
  const { statement, label, snapshotKey } = request;
  const wanted = { statement, label, location };
  requireSelect(await dryRun(client, wanted, signal));
  const job = await beginJob(client, { ...wanted, snapshotKey }, signal);
  const leave = cancelOnAbort(client, job, signal);
  try {
    return await awaitResult(client, job, signal);
  } finally {
    await leave();
  }
}

/** Throws where a result has more or fewer rows than announced, which means that the connection lost some. */
async function* counted(pieces: AsyncIterable<Piece>, totalRows: number): AsyncGenerator<Piece, undefined> {
  let rows = 0;
  for await (const piece of pieces) {
    rows += piece.rowCount;
    if (rows > totalRows) break;
    yield piece;
  }
  if (rows !== totalRows) {
    const message = `BigQuery announced ${totalRows} rows but returned ${rows > totalRows ? 'more' : rows}.`;
    throw new AppError('WAREHOUSE_SESSION_LOST', message);
  }
}
