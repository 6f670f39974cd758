// Reading. DuckDB returns vectors of at most 2,048 rows. Its own thread computes the next vector while this one becomes rows.
// Waiting for each turns the event loop, so nothing else starves.
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { Cell, Column, ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { weightOf } from '../_shared/weigh.ts';
import { readerOf } from './cells/readers.ts';
import type { CellReader, VectorReader } from './cells/vectors.ts';
import type { Database } from './open-database.ts';
import type { Sdk } from './sdk.ts';
import { columnsOf } from './statement.ts';
import { openStream, type Stream } from './stream.ts';

type Row = Cell[];

export interface ReadJob {
  readonly sdk: Sdk;
  readonly database: Database;
  readonly request: ReadRequest;
  readonly signal: AbortSignal;
}

export async function startRead({ sdk, database, request, signal }: ReadJob): Promise<ReadResult> {
  const stream = await openStream({ api: sdk.api, database, statement: request.statement, signal });
  try {
    const { result } = stream;
    const columns = columnsOf(sdk, result);
    const readers = columns.map((_, index) => readerOf(sdk, result.columnType(index)));
    const open = (chunk: DuckDBDataChunk) => openVectors(sdk, chunk, readers);
    return { columns, chunks: iterable(stream, batches({ stream, open, request, weighed: weighedColumns(columns) })) };
  } catch (failure) {
    await stream.free();
    throw failure;
  }
}

/** Returns an iterable whose `return` frees the stream even if no row was requested, as a generator alone would not. */
function iterable(stream: Stream, rows: AsyncGenerator<readonly Row[], undefined>): ReadResult['chunks'] {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => rows.next(),
      return: async () => {
        await stream.free();
        return rows.return(undefined);
      },
    }),
  };
}

function openVectors({ bindings }: Sdk, { chunk }: DuckDBDataChunk, readers: readonly VectorReader[]): CellReader[] {
  const rows = bindings.data_chunk_get_size(chunk);
  return readers.map((open, column) => open(bindings.data_chunk_get_vector(chunk, column), rows));
}

interface Batching {
  readonly stream: Stream;
  readonly open: (chunk: DuckDBDataChunk) => readonly CellReader[];
  readonly request: ReadRequest;
  /** Columns whose cells differ in size. */
  readonly weighed: readonly number[];
}

/** Rows of the first cut; later cuts have as many as fill a quarter of a chunk's bytes. */
const FIRST_CUT_ROWS = 64;
const MOST_CUT_ROWS = 2048;

/** Turns vectors into chunks of the requested size. Cuts a vector of huge values in pieces, so that bytes are bounded, too. */
async function* batches({ stream, open, request, weighed }: Batching): AsyncGenerator<readonly Row[], undefined> {
  const { chunkRows, chunkBytes } = request;
  let cutRows = FIRST_CUT_ROWS;
  let batch: Row[] = [];
  let bytes = 0;
  for (let chunk = await stream.next(); chunk !== undefined; chunk = await stream.next()) {
    const readers = open(chunk);
    const { rowCount } = chunk;
    for (let at = 0; at < rowCount; ) {
      const to = Math.min(rowCount, at + chunkRows - batch.length, at + cutRows);
      const grown = appendRows(batch, readers, { from: at, to, weighed });
      cutRows = Math.min(MOST_CUT_ROWS, Math.max(1, Math.floor((chunkBytes * (to - at)) / (4 * grown))));
      bytes += grown;
      at = to;
      if (batch.length < chunkRows && bytes < chunkBytes) continue;
      yield batch;
      [batch, bytes] = [[], 0];
    }
  }
  if (batch.length > 0) yield batch;
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly weighed: readonly number[];
}

/** Appends rows column by column, which keeps each reader hot, and returns the estimated bytes of the rows. */
function appendRows(batch: Row[], readers: readonly CellReader[], { from, to, weighed }: Cut): number {
  const width = readers.length;
  const rows: Row[] = [];
  for (let index = from; index < to; index++) rows.push(new Array<Cell>(width));
  for (const [column, read] of readers.entries()) {
    for (let index = from; index < to; index++) (rows[index - from] as Row)[column] = read(index);
  }
  let bytes = (to - from) * width * 16;
  for (const column of weighed) for (const row of rows) bytes += weightOf(row[column] ?? null);
  for (const row of rows) batch.push(row);
  return bytes;
}

const FIXED = new Set(['boolean', 'integer', 'decimal', 'double', 'uuid', 'date', 'time', 'timestamp', 'timestamp_tz']);

function weighedColumns(columns: readonly Column[]): readonly number[] {
  return columns.flatMap(({ type }, index) => (FIXED.has(type) ? [] : [index]));
}
