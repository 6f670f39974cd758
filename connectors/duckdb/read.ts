// Reading. DuckDB returns vectors of at most 2,048 rows. Its own thread computes the next vector while this one becomes rows.
// Waiting for each turns the event loop, so nothing else starves.
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cutChunks, type Row, readRows } from '../_shared/cut-chunks.ts';
import { readerOf } from './cells/readers.ts';
import type { CellReader, VectorReader } from './cells/vectors.ts';
import type { Database } from './open-database.ts';
import type { Sdk } from './sdk.ts';
import { columnsOf } from './statement.ts';
import { openStream, type Stream } from './stream.ts';

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
    return { columns, chunks: iterable(stream, cutChunks(piecesOf(stream, open), columns, request)) };
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

async function* piecesOf(stream: Stream, open: (chunk: DuckDBDataChunk) => readonly CellReader[]) {
  for (let chunk = await stream.next(); chunk !== undefined; chunk = await stream.next()) {
    const readers = open(chunk);
    yield { rowCount: chunk.rowCount, rows: (from: number, to: number) => readRows(readers, from, to) };
  }
}
