// Reading. A child hands over pieces of rows as DuckDB's own vectors, at most 2,048 rows each, through a shared file. It
// prepares the next pieces while this one becomes rows. Waiting for each turns the event loop, so nothing else starves.
import { itemAt } from '../../src/kernel/index.ts';
import type { ReadRequest, ReadResult } from '../../src/warehouse/index.ts';
import { cutChunks, type Row, readRows } from '../_shared/cut-chunks.ts';
import { openVectors } from './cells/open-vectors.ts';
import { readerOf } from './cells/readers.ts';
import type { VectorReader } from './cells/vectors.ts';
import type { CallLimits, Host } from './host/host.ts';
import { type NextPiece, type Piece, sendable } from './wire/messages.ts';

export interface ReadJob {
  readonly host: Host;
  readonly request: ReadRequest;
  readonly limits: CallLimits;
  /** Longest piece of rows, in bytes. */
  readonly mostBytes: number;
}

/** Number of the last stream; a child is told its streams by numbers. */
let streams = 0;

export async function startRead({ host, request, limits, mostBytes }: ReadJob): Promise<ReadResult> {
  streams += 1;
  const stream = streams;
  const { columns, types } = await host.call('read', { stream, statement: sendable(request.statement) }, limits);
  const pieces = createPieces(host, { stream, mostBytes }, limits);
  return { columns, chunks: iterable(pieces, cutChunks(rowsOf(pieces, types.map(readerOf)), columns, request)) };
}

/** The rows of one statement in pieces, some asked for ahead. */
interface Pieces {
  /** Returns the next piece with its bytes, which the call after it overwrites; undefined after the last. */
  next(): Promise<{ readonly piece: Piece; readonly bytes: Uint8Array } | undefined>;
  /** Interrupts the statement and frees it, as its end and a failure do. */
  free(): Promise<void>;
}

/** Pieces that are asked for ahead, so that the child and the daemon both work all the time. */
const AHEAD = 3;
/** Bytes of memory for a piece, which nearly all fill at most half. A longer one gets memory of its own, and only one is ahead. */
const PIECE_BYTES = 2 << 20;

function createPieces(host: Host, take: Omit<NextPiece, 'slot'>, limits: CallLimits): Pieces {
  const slots = [...host.takeSlots(AHEAD)];
  const asked: { readonly slot: number; readonly answer: Promise<Piece | null> }[] = [];
  let memory = new Uint8Array();
  let freed: Promise<void> | undefined;
  const askAhead = (count: number) => {
    while (asked.length < count) {
      const slot = slots.shift();
      if (slot === undefined) return;
      // the child answers them in turn, each within the limit
      const answer = host.call('next', { ...take, slot }, { ...limits, limitMs: limits.limitMs * (asked.length + 1) });
      // `next` rethrows the failure; this only keeps it from being reported as unhandled until then
      answer.catch(() => undefined);
      asked.push({ slot, answer });
    }
  };
  const free = async () => {
    // after an abort, too; a child that has ended has freed everything
    const { signal } = new AbortController();
    await host.call('free', { stream: take.stream }, { ...limits, signal }).catch(() => undefined);
    host.releaseSlots([...slots, ...asked.map(({ slot }) => slot)]);
  };
  const next = async () => {
    askAhead(1);
    const [first] = asked;
    const piece = await first?.answer;
    if (first === undefined || piece === undefined || piece === null) return undefined;
    if (memory.length === 0 && piece.bytes <= PIECE_BYTES) memory = new Uint8Array(PIECE_BYTES);
    const bytes = piece.bytes <= memory.length ? memory.subarray(0, piece.bytes) : new Uint8Array(piece.bytes);
    // a child that has ended fails the calls after this one, and says why
    if (!host.isAlive) await Promise.all(asked.map(({ answer }) => answer));
    host.readSlot(first.slot, bytes);
    asked.shift();
    // used again first, so that long pieces fill one slot and not all of them
    slots.unshift(first.slot);
    askAhead(piece.bytes > PIECE_BYTES ? 1 : AHEAD);
    return { piece, bytes };
  };
  const freeOnce = () => {
    freed ??= free();
    return freed;
  };
  return {
    async next() {
      const found = await next().catch(async (failure: unknown) => {
        await freeOnce();
        throw failure;
      });
      if (found === undefined) await freeOnce();
      return found;
    },
    free: freeOnce,
  };
}

/** Returns an iterable whose `return` frees the stream even if no row was requested, as a generator alone would not. */
function iterable(pieces: Pieces, rows: AsyncGenerator<readonly Row[], undefined>): ReadResult['chunks'] {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => rows.next(),
      return: async () => {
        await pieces.free();
        return rows.return(undefined);
      },
    }),
  };
}

async function* rowsOf(pieces: Pieces, readers: readonly VectorReader[]) {
  for (let next = await pieces.next(); next !== undefined; next = await pieces.next()) {
    const { piece, bytes } = next;
    const opened = openVectors(piece.vectors, bytes);
    const cells = readers.map((open, column) => open(itemAt(opened, column)));
    yield { rowCount: piece.rows, rows: (from: number, to: number) => readRows(cells, from, to) };
  }
}
