import { setImmediate } from 'node:timers/promises';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { AppError } from '../../../src/kernel/index.ts';
import type { Piece } from '../wire/messages.ts';
import { partsIn } from '../wire/parts.ts';
import { SHARED_FILE, writeSlot } from '../wire/shared-file.ts';
import type { Database } from './open-database.ts';
import type { Sdk } from './sdk.ts';
import { senderOf, type VectorSender } from './send-vectors.ts';
import type { Handlers } from './serve.ts';
import { columnsOf } from './statement.ts';
import { stopWith } from './stop-with.ts';
import { openStream, type Stream } from './stream.ts';
import { typeTreeOf } from './types.ts';

/** A statement whose rows are being sent. */
interface Reading {
  /** Interrupts the statement. */
  readonly stop: AbortController;
  readonly stream: Stream;
  readonly senders: readonly VectorSender[];
  /** Rows that were fetched, and the number of those that were sent. */
  chunk: DuckDBDataChunk | undefined;
  at: number;
  /** Tells whether the last row was sent. */
  isOver: boolean;
  isFreed: boolean;
  /** End of the call that was taken up last; calls are answered one after the other. */
  last: Promise<unknown>;
}

/** Bytes of a piece of rows: enough that a message costs little, few enough that some of them are little memory. */
const PIECE_BYTES = 1 << 20;

/** Answers the calls about statements whose rows are read. */
export function createReadings(sdk: Sdk, opened: () => Database) {
  const readings = new Map<number, Reading>();
  const scratch = new Uint8Array(PIECE_BYTES);
  const handlers: Handlers<'read' | 'next' | 'free'> = {
    read: async ({ stream: id, statement }, signal) => {
      const stop = new AbortController();
      const job = { api: sdk.api, database: opened(), statement, signal: stop.signal };
      const stream = await stopWith(signal, stop, () => openStream(job));
      try {
        const columns = columnsOf(sdk, stream.result);
        const types = columns.map((_, index) => stream.result.columnType(index));
        const senders = types.map((type) => senderOf(sdk, type));
        const [isOver, isFreed, last] = [false, false, Promise.resolve()];
        readings.set(id, { stop, stream, senders, chunk: undefined, at: 0, isOver, isFreed, last });
        return { columns, types: types.map((type) => typeTreeOf(sdk, type)) };
      } catch (failure) {
        await stream.free();
        throw failure;
      }
    },
    next: async ({ stream: id, slot, mostBytes }, signal) => {
      const reading = readings.get(id);
      if (reading === undefined) throw freedEarly();
      const target = { slot, mostBytes, scratch };
      const turn = () => nextPiece(sdk, reading, target);
      return await stopWith(signal, reading.stop, () => {
        const piece = reading.last.then(turn);
        reading.last = piece;
        return piece;
      });
    },
    free: async ({ stream }) => {
      await free(readings, stream);
      await collect();
      return null;
    },
  };
  const freeAll = async (): Promise<void> => {
    for (const id of readings.keys()) await free(readings, id);
  };
  return { handlers, freeAll };
}

async function free(readings: Map<number, Reading>, id: number): Promise<void> {
  const reading = readings.get(id);
  if (reading === undefined) return;
  reading.isFreed = true;
  await reading.stream.free();
  await reading.last.catch(() => undefined);
  // only now, so that the database is not closed before
  readings.delete(id);
}

/** Returns the failure of a call for rows that comes too late: an answer without rows would look like the last one. */
function freedEarly(): AppError {
  return new AppError('WAREHOUSE_SESSION_LOST', 'The statement was freed before its last row was read.');
}

/**
 * Collects garbage, which takes some 5 ms: the driver keeps the buffers of a result, up to the whole memory limit, until its
 * object is collected.
 */
async function collect(): Promise<void> {
  globalThis.gc?.();
  // the driver frees what was collected in a turn of its own
  await setImmediate();
}

/** Writes the next rows into a slot. Returns null after the last. Throws once the statement was freed. */
async function nextPiece(sdk: Sdk, reading: Reading, target: Target): Promise<Piece | null> {
  if (reading.isOver) return null;
  if (!reading.isFreed) reading.chunk ??= await reading.stream.next();
  if (reading.isFreed) throw freedEarly();
  if (reading.chunk === undefined) {
    reading.isOver = true;
    return null;
  }
  return sendPiece(sdk, reading, { ...target, chunk: reading.chunk });
}

interface Target {
  readonly slot: number;
  readonly mostBytes: number;
  /** Memory for a piece of the usual length. */
  readonly scratch: Uint8Array;
}

interface Sending extends Target {
  readonly chunk: DuckDBDataChunk;
}

/** Writes rows into a slot: the rest of a vector of DuckDB, or a part of one whose values are long. */
function sendPiece(sdk: Sdk, reading: Reading, { chunk, slot, mostBytes, scratch }: Sending): Piece {
  const { at: from, senders } = reading;
  const vectors = senders.map((sender, column) => {
    return { sender, vector: sdk.bindings.data_chunk_get_vector(chunk.chunk, column) };
  });
  const weigh = (to: number) =>
    vectors.reduce((sum, { sender, vector }) => sum + sender.weigh({ vector, from, to }), 0);
  let to = chunk.rowCount;
  let bytes = weigh(to);
  while (bytes > PIECE_BYTES && to - from > 1) {
    to = from + ((to - from) >> 1);
    bytes = weigh(to);
  }
  if (bytes > mostBytes) throw tooLong(bytes, mostBytes);
  const buffer = bytes <= scratch.length ? scratch : new Uint8Array(bytes);
  const parts = partsIn(buffer);
  const shapes = vectors.map(({ sender, vector }) => sender.write({ vector, from, to }, parts));
  writeSlot(SHARED_FILE, slot, buffer.subarray(0, bytes));
  [reading.chunk, reading.at] = to < chunk.rowCount ? [chunk, to] : [undefined, 0];
  return { rows: to - from, bytes, vectors: shapes };
}

const MEBIBYTE = 1 << 20;

function tooLong(bytes: number, mostBytes: number): AppError {
  const message =
    `A row has ${Math.ceil(bytes / MEBIBYTE)} MiB; at most ${Math.floor(mostBytes / MEBIBYTE)} can be read. Let the model ` +
    'shorten its texts, or raise PENSTOCK_WAREHOUSE_MESSAGE_MB.';
  return new AppError('WAREHOUSE_DATA', message);
}
