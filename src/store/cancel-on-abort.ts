import { Client, type Pool, type PoolClient } from 'pg';
import { AppError } from '../kernel/index.ts';

declare module 'pg' {
  interface ClientBase {
    /** Id of the server's process. The driver has it, but leaves it out of its types. */
    readonly processID: number;
  }
}

/** Throws the reason of an abort when that is an AppError, else CANCELLED. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  if (signal.reason instanceof AppError) throw signal.reason;
  throw new AppError('CANCELLED', 'The work was cancelled.', { cause: signal.reason });
}

/** Cancels the running statement when `signal` aborts. The session is given back only when that request is over. */
export function cancelOnAbort(pool: Pool, client: PoolClient, signal: AbortSignal | undefined) {
  let pending: Promise<void> | undefined;
  const cancel = () => {
    pending = cancelStatement(pool, client);
  };
  signal?.addEventListener('abort', cancel, { once: true });
  return {
    async settled(): Promise<void> {
      signal?.removeEventListener('abort', cancel);
      await pending;
    },
  };
}

/** Cancels the statement over a connection of its own: the pool may be used up by transactions that wait for one another. */
async function cancelStatement(pool: Pool, client: PoolClient): Promise<void> {
  const canceller = new Client(pool.options);
  canceller.on('error', () => undefined);
  try {
    await canceller.connect();
    await canceller.query('SELECT pg_cancel_backend($1)', [client.processID]);
  } catch {
    // the store is gone, and with it the statement
  } finally {
    await canceller.end().catch(() => undefined);
  }
}
