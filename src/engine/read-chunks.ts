import type { Session } from '../warehouse/index.ts';
import type { MappedRows, Row } from './mapping/unit-mapping.ts';
import type { RunSource } from './open-source.ts';

/** Rows of one chunk as they will be delivered. */
export interface MappedChunk {
  readonly extracted: number;
  readonly mapped: MappedRows;
}

const FIRST_CHUNK_ROWS = 2000;
const CHUNK_BYTES = 32 * 1024 * 1024;

export interface ReadingDeps {
  readonly session: Session;
  readonly chunkRows: number;
  /** Goes to the warehouse's query log. */
  readonly label: Readonly<Record<string, string>>;
}

/** Reads, maps and prepares chunk by chunk, only when asked: memory does not depend on the size of the result. */
export async function* readChunks(
  { session, chunkRows, label }: ReadingDeps,
  source: RunSource,
  signal: AbortSignal,
): AsyncGenerator<MappedChunk, void, undefined> {
  const { statement, mapping } = source;
  const firstChunkRows = Math.min(FIRST_CHUNK_ROWS, chunkRows);
  const request = { statement, chunkRows, chunkBytes: CHUNK_BYTES, firstChunkRows, label };
  const { chunks } = await session.read(request, signal);
  for await (const chunk of chunks) yield await mapChunk(mapping, chunk);
}

async function mapChunk(mapping: RunSource['mapping'], rows: readonly Row[]): Promise<MappedChunk> {
  return { extracted: rows.length, mapped: await mapping.map(rows) };
}
