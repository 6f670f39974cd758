import type { DuckDBConnection } from '@duckdb/node-api';
import { systemClock } from '../../src/kernel/index.ts';

const AGAIN_MS = 50;

/**
 * Interrupts what the connection does once the signal aborts, until the returned function is called. Again and again, because
 * a statement that is just starting takes the first interrupt back.
 */
export function interruptOnAbort(connection: DuckDBConnection, signal: AbortSignal): () => void {
  const over = new AbortController();
  const insist = async (): Promise<void> => {
    while (!over.signal.aborted) {
      connection.interrupt();
      await systemClock.sleep(AGAIN_MS, over.signal).catch(() => undefined);
    }
  };
  if (signal.aborted) void insist();
  else signal.addEventListener('abort', () => void insist(), { once: true, signal: over.signal });
  return () => over.abort();
}
