import { systemClock } from '../../src/kernel/index.ts';

/** A connection whose current work can be cancelled. */
export interface Cancellable {
  /** The connection is usable. After a failure or a cancel it is closed and not used again. */
  isSound: boolean;
  /** Resumes a paused server's answer. */
  resume?(): void;
  /** Asks the server to cancel the current work of this connection. */
  cancel(): Promise<void>;
  /** Closes the connection. Never throws. */
  close(): Promise<void>;
}

/** Interval at which a cancel is repeated, because it may arrive before the statement has begun. */
const AGAIN_MS = 200;
const PATIENCE_MS = 2500;

/**
 * Runs work on a link. An abort cancels the work on the server and waits a bounded time for that. After an abort the link is
 * not used again.
 */
export async function cancellable<Result>(
  link: Cancellable,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const settled = new AbortController();
  let cancelling: Promise<void> | undefined;
  const cancel = () => {
    link.isSound = false;
    cancelling = insist(link, settled.signal);
  };
  signal.addEventListener('abort', cancel, { once: true, signal: settled.signal });
  if (signal.aborted) cancel();
  try {
    return await work();
  } catch (failure) {
    link.isSound = false;
    throw failure;
  } finally {
    settled.abort();
    await cancelling;
  }
}

/** Cancels until the work settles; where it does not settle in time, closes the connection. */
async function insist(link: Cancellable, settled: AbortSignal): Promise<void> {
  link.resume?.();
  for (let waitedMs = 0; waitedMs < PATIENCE_MS && !settled.aborted; waitedMs += AGAIN_MS) {
    await Promise.race([link.cancel().catch(() => undefined), rest(settled)]);
    await rest(settled);
  }
  if (!settled.aborted) await link.close();
}

async function rest(settled: AbortSignal): Promise<void> {
  await systemClock.sleep(AGAIN_MS, settled).catch(() => undefined);
}
