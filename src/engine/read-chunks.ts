import { setImmediate } from 'node:timers/promises';
import type { Identities, Person, PreparedPeople } from '../identity/index.ts';
import type { Cell, Session } from '../warehouse/index.ts';
import { isRefusal } from './mapping/compile-mapper.ts';
import type { Refusal } from './mapping/refusal.ts';
import type { RunSource } from './open-source.ts';

type Row = readonly Cell[];

/** A row that is not kept, with what is wrong with it. */
export interface RefusedRow {
  readonly row: Row;
  readonly refusal: Refusal;
}

/** Rows of one chunk as they will be delivered. */
export interface MappedChunk {
  readonly extracted: number;
  readonly people: PreparedPeople;
  /** The row of each person, in the same order. */
  readonly rows: readonly Row[];
  readonly refused: readonly RefusedRow[];
}

/** Rows mapped between two turns of the event loop: about 4 ms, so that the store's sockets are served meanwhile. */
const SLICE_ROWS = 2000;
const FIRST_CHUNK_ROWS = 2000;
const CHUNK_BYTES = 32 * 1024 * 1024;

export interface ReadingDeps {
  readonly identities: Identities;
  readonly session: Session;
  readonly chunkRows: number;
  /** Goes to the warehouse's query log. */
  readonly label: Readonly<Record<string, string>>;
}

/** Reads, maps and prepares chunk by chunk, only when asked: memory does not depend on the size of the result. */
export async function* readChunks(
  { identities, session, chunkRows, label }: ReadingDeps,
  source: RunSource,
  signal: AbortSignal,
): AsyncGenerator<MappedChunk, void, undefined> {
  const { statement, scope } = source;
  const firstChunkRows = Math.min(FIRST_CHUNK_ROWS, chunkRows);
  const request = { statement, chunkRows, chunkBytes: CHUNK_BYTES, firstChunkRows, label };
  const { chunks } = await session.read(request, signal);
  for await (const chunk of chunks) {
    const { people, rows, refused } = await mapRows(source, chunk);
    yield { extracted: chunk.length, people: await identities.prepare(scope, people), rows, refused };
  }
}

interface MappedRows {
  readonly people: readonly Person[];
  readonly rows: readonly Row[];
  readonly refused: readonly RefusedRow[];
}

async function mapRows({ map }: RunSource, chunk: readonly Row[]): Promise<MappedRows> {
  const mapped: MappedRows & { people: Person[]; rows: Row[]; refused: RefusedRow[] } = {
    people: [],
    rows: [],
    refused: [],
  };
  for (let index = 0; index < chunk.length; index++) {
    const row = chunk[index] as Row;
    const result = map(row);
    if (isRefusal(result)) mapped.refused.push({ row, refusal: result });
    else {
      mapped.people.push(result);
      mapped.rows.push(row);
    }
    if (index % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return mapped;
}
