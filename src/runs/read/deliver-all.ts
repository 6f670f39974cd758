import { AppError } from '../../kernel/index.ts';
import type { Counts } from '../lifecycle/held-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Delivery, deliverChunk } from './deliver-chunk.ts';
import type { MappedChunk } from './read-chunks.ts';

export interface ChunkFlow {
  /** Reads until the signal aborts. It aborts with the flow's own signal, and when a delivery failed. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<MappedChunk, void, undefined>;
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
  /** Start of this attempt. The attempt ends at the border of a chunk, before its job expires. */
  readonly sinceMs: number;
  /** Inspects the sums after each chunk, and may do work that is due. An error that it throws ends the attempt. */
  readonly inspect?: (progress: Counts, chunk: MappedChunk) => void | Promise<void>;
}

/**
 * Delivers chunk by chunk and returns the counts of the run. While one chunk commits, the next one is read and mapped, and
 * never more than that one.
 * An abort ends the delivery at the border of a chunk: a commit in progress is completed. A failure also ends the reading, and
 * is thrown whatever the reading then reports.
 */
export async function deliverAll(deps: RunsDeps, flow: ChunkFlow): Promise<Counts> {
  const { delivery, signal } = flow;
  const leaving = new AbortController();
  const chunks = flow.read(AbortSignal.any([signal, leaving.signal]));
  let { progress } = delivery;
  let next = readNext(chunks);
  try {
    for (let chunk = await next; chunk !== undefined; chunk = await next) {
      signal.throwIfAborted();
      next = readNext(chunks);
      progress = await deliverChunk(deps, { ...delivery, progress }, chunk);
      await flow.inspect?.(progress, chunk);
      requireTime(deps, flow);
    }
    return progress;
  } catch (error) {
    // the next chunk may be an hour away
    leaving.abort(error);
    throw error;
  } finally {
    // the reading must end before its session is closed
    await next.catch(() => undefined);
    await chunks.return().catch(() => undefined);
  }
}

/** Reads the next chunk. The read-ahead may fail before anyone awaits it; its failure is thrown at its turn. */
function readNext(chunks: AsyncGenerator<MappedChunk, void, undefined>): Promise<MappedChunk | undefined> {
  const next = chunks.next().then(({ value }) => value ?? undefined);
  next.catch(() => undefined);
  return next;
}

/**
 * Throws CANCELLED where the attempt has taken too long. Called after a delivery, so every attempt makes progress before the
 * run is requeued.
 */
function requireTime({ clock, settings }: RunsDeps, { sinceMs }: ChunkFlow): void {
  if (clock.nowMs() - sinceMs < settings.runHoldMs) return;
  throw new AppError(
    'CANCELLED',
    'The run goes back to the queue: its worker has had it for as long as a job may last.',
  );
}
