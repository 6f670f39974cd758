import { systemClock } from '../../src/kernel/index.ts';

/** A connection that can be told to break off what it does. */
export interface Cancellable {
  /** False once something failed or was broken off: it is closed and not used again. */
  isSound: boolean;
  /** Goes on taking what the server sends, where it was paused. */
  resume?(): void;
  /** Asks the server to break off what this connection does. */
  cancel(): Promise<void>;
  /** Never throws. */
  close(): Promise<void>;
}

/** A request may come before the statement has begun: it is repeated. */
const AGAIN_MS = 200;
const PATIENCE_MS = 2500;

/** Runs work on a link. An abort cancels it on the server and waits for that, a bounded time; then the link is not used again. */
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

/** Cancels until the work settles; what does not stop loses its connection. */
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
