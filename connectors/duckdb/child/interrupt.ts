import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError, systemClock } from '../../../src/kernel/index.ts';

const AGAIN_MS = 50;
const LONGEST_TICK_MS = 1000;

export interface WatchSettings {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

interface WaitOptions {
  /** Late success counts, too, as for a COMMIT, which cannot be taken back. */
  readonly counts?: boolean;
}

/** The watch over one connection, for which DuckDB itself has no time limit. */
export interface Watch {
  /** Waits for a statement, or for its next rows. Throws WAREHOUSE_TIMEOUT where that took longer than the time limit. */
  wait<T>(work: Promise<T>, options?: WaitOptions): Promise<T>;
  stop(): void;
}

/**
 * Interrupts the connection's work once the signal aborts or a wait takes too long.
 * Repeats the interrupt, because a statement that is just starting clears the first one. Ticks are counted and no clock is
 * read, so that a clock that jumps interrupts nothing. One timer serves all waits of a stream.
 */
export function watchConnection(
  connection: Pick<DuckDBConnection, 'interrupt'>,
  { signal, timeoutMs }: WatchSettings,
): Watch {
  const over = new AbortController();
  const tickMs = Math.min(LONGEST_TICK_MS, timeoutMs / 4);
  let waitedMs: number | undefined;
  let isLate = false;
  const insist = async (): Promise<void> => {
    while (!over.signal.aborted) {
      connection.interrupt();
      await pause(AGAIN_MS, over.signal);
    }
  };
  const count = async (): Promise<void> => {
    while (!over.signal.aborted && !isLate) {
      await pause(tickMs, over.signal);
      if (waitedMs !== undefined) waitedMs += tickMs;
      isLate = (waitedMs ?? 0) >= timeoutMs;
    }
    await insist();
  };
  void count();
  if (signal.aborted) void insist();
  else signal.addEventListener('abort', () => void insist(), { once: true, signal: over.signal });
  return {
    async wait(work, { counts = false } = {}) {
      waitedMs = 0;
      try {
        const result = await work;
        if (isLate && !counts) throw late(timeoutMs);
        return result;
      } catch (failure) {
        throw isLate && !signal.aborted ? late(timeoutMs, failure) : failure;
      } finally {
        waitedMs = undefined;
      }
    },
    stop: () => over.abort(),
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await systemClock.sleep(ms, signal).catch(() => undefined);
}

function late(timeoutMs: number, cause?: unknown): AppError {
  const message =
    `DuckDB did not finish the statement, or its next rows, within ${timeoutMs / 1000} s, so it was cancelled. Reduce the ` +
    'model, or raise PENSTOCK_WAREHOUSE_TIMEOUT_S.';
  return new AppError('WAREHOUSE_TIMEOUT', message, { cause });
}
