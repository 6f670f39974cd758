import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { Progress } from '../lifecycle/held-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Delivery, deliverChunk } from './deliver-chunk.ts';
import type { ConnectedExecution, Execution } from './execution.ts';
import { type ChunkReading, type MappedChunk, readChunks } from './read-chunks.ts';

export interface ChunkFlow extends Omit<Delivery, 'claimed'> {
  /** Reads until the signal aborts. It aborts with the execution's own signal, and when a delivery failed. */
  readonly read: (signal: AbortSignal) => AsyncGenerator<MappedChunk, void, undefined>;
  /** Inspects the sums after each chunk, and may do work that is due. An error that it throws ends the attempt. */
  readonly inspect?: ((progress: Progress, chunk: MappedChunk) => void | Promise<void>) | undefined;
}

/**
 * Delivers chunk by chunk and returns the counts of the run. While one chunk commits, the next one is read and mapped, and
 * never more than that one.
 * An abort ends the delivery at the border of a chunk: a commit in progress is completed. A failure also ends the reading, and
 * is thrown whatever the reading then reports. Throws CANCELLED after the deadline, but not before a first chunk, so that every
 * attempt makes progress.
 */
export async function deliverAll(
  deps: RunsDeps,
  { claimed, signal, deadlineMs }: Execution,
  flow: ChunkFlow,
): Promise<Progress> {
  const leaving = new AbortController();
  const chunks = flow.read(AbortSignal.any([signal, leaving.signal]));
  let { progress } = flow;
  let next = readNext(chunks);
  try {
    for (let chunk = await next; chunk !== undefined; chunk = await next) {
      signal.throwIfAborted();
      next = readNext(chunks);
      progress = await deliverChunk(deps, { ...flow, claimed, progress }, chunk);
      await flow.inspect?.(progress, chunk);
      if (deps.clock.nowMs() >= deadlineMs) throw heldTooLong();
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

interface RowFlow extends Pick<ChunkFlow, 'progress' | 'inspect'> {
  readonly source: ChunkReading['source'];
  readonly ledger: ResumeLedger;
}

/** Delivers the rows of the warehouse, all of them or those that the ledger lets pass, and returns the counts of the run. */
export async function deliverRows(deps: RunsDeps, execution: ConnectedExecution, flow: RowFlow): Promise<Progress> {
  const { ledger, source } = flow;
  const { mapping, columns } = source;
  return await deliverAll(deps, execution, {
    ...flow,
    mapping,
    columns: { id: execution.claimed.fence, columns },
    read: (stop) => readChunks(deps, { ...execution, ledger, source }, stop),
  });
}

/** Reads the next chunk. The read-ahead may fail before anyone awaits it; its failure is thrown at its turn. */
function readNext(chunks: AsyncGenerator<MappedChunk, void, undefined>): Promise<MappedChunk | undefined> {
  const next = chunks.next().then(({ value }) => value ?? undefined);
  next.catch(() => undefined);
  return next;
}

function heldTooLong(): AppError {
  return new AppError('CANCELLED', 'The run is requeued: its worker has reached the time limit of a job.');
}

/** Returns a warning of rows, over all attempts, whose time lay in the future when they were read; none without such rows. */
export function futureRowWarnings({ snapshot }: ClaimedRun, { ahead }: Progress): readonly Notice[] {
  if (ahead === 0) return [];
  const field = snapshot.pipeline.syncMode.iterator?.field ?? '';
  const message =
    `${ahead} rows have a "${field}" in the future. Their attributes get the start time of the run; otherwise no later ` +
    'value could replace them. Correct the values, or use another iterator_field.';
  return [{ message }];
}
