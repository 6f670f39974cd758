import type { Session } from '../warehouse/index.ts';
import type { ResumeLedger } from './ledger/open-ledger.ts';
import type { TakenRows } from './ledger/row-ledger.ts';
import type { MappedRows } from './mapping/unit-mapping.ts';
import type { RunSource } from './open-source.ts';

/** Rows of one chunk as they will be delivered, and those that are only counted. */
export interface MappedChunk extends TakenRows {
  readonly mapped: MappedRows;
}

const FIRST_CHUNK_ROWS = 2000;
const CHUNK_BYTES = 32 * 1024 * 1024;

export interface ReadingDeps {
  readonly session: Session;
  readonly ledger: ResumeLedger;
  readonly chunkRows: number;
  /** Goes to the warehouse's query log. */
  readonly label: Readonly<Record<string, string>>;
}

/**
 * Reads, leaves out what was delivered before, maps and prepares chunk by chunk, only when asked: memory does not depend on
 * the size of the result.
 */
export async function* readChunks(
  { session, ledger, chunkRows, label }: ReadingDeps,
  { statement, mapping }: RunSource,
  signal: AbortSignal,
): AsyncGenerator<MappedChunk, void, undefined> {
  const firstChunkRows = Math.min(FIRST_CHUNK_ROWS, chunkRows);
  const request = { statement, chunkRows, chunkBytes: CHUNK_BYTES, firstChunkRows, label };
  const { chunks } = await session.read(request, signal);
  for await (const chunk of chunks) {
    const { rows, keys, deduplicated } = await ledger.sift(chunk);
    // an earlier attempt has counted them all
    if (keys.length + deduplicated.length === 0) continue;
    yield { mapped: await mapping.map(rows), keys, deduplicated };
  }
}
