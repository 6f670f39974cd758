import { AppError } from '../../kernel/index.ts';
import type { Counts } from '../lifecycle/held-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Delivery, deliverChunk } from './deliver-chunk.ts';
import type { MappedChunk } from './read-chunks.ts';

export interface ChunkFlow {
  /** Reads until the signal aborts, which it does with the flow's own, and when a delivery failed. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<MappedChunk, void, undefined>;
  readonly delivery: Delivery;
  readonly signal: AbortSignal;
  /** When this attempt began: it ends at the border of a chunk, before its job expires. */
  readonly sinceMs: number;
  /** Looks at the sums after each chunk, and may do what is due by then; what it throws ends the attempt. */
  readonly inspect?: (progress: Counts, chunk: MappedChunk) => void | Promise<void>;
}

/**
 * Delivers chunk by chunk; the next one is read and mapped while this one commits, and never more than that one. An abort
 * ends it at the border of a chunk: what is being committed is committed. A failure ends the reading too, and is what is
 * thrown, whatever the reading then says. Answers the counts of the run.
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
    // whatever is being read ends before its session is closed
    await next.catch(() => undefined);
    await chunks.return().catch(() => undefined);
  }
}

/** The read-ahead may fail while nobody waits for it yet; its failure is met when it is its turn. */
function readNext(chunks: AsyncGenerator<MappedChunk, void, undefined>): Promise<MappedChunk | undefined> {
  const next = chunks.next().then(({ value }) => value ?? undefined);
  next.catch(() => undefined);
  return next;
}

/** Asked after a chunk was delivered, so every attempt brings its run on before it hands it back. */
function requireTime({ clock, settings }: RunsDeps, { sinceMs }: ChunkFlow): void {
  if (clock.nowMs() - sinceMs < settings.runHoldMs) return;
  throw new AppError(
    'CANCELLED',
    'The run goes back to the queue: its worker has had it for as long as a job may last.',
  );
}
