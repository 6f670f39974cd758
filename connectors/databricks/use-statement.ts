import { cancellable } from '../_shared/cancellable.ts';
import { RefusedCall } from './link.ts';
import type { ServerSession } from './server-session.ts';
import type { StartedStatement, StatementToStart } from './statement.ts';
import { bounded } from './waiting.ts';

export interface UsedStatement {
  readonly statement: StartedStatement;
  /** Runs work. An abort cancels the statement on the server, waits for that a bounded time, and leaves the work. */
  guard<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** Closes the statement. Never throws. */
  close(): Promise<void>;
}

export function guarded(statement: StartedStatement): UsedStatement {
  const { promise: left, reject: leave } = Promise.withResolvers<never>();
  left.catch(() => undefined);
  const link = {
    isSound: true,
    cancel: () => statement.cancel(),
    close: async () => leave(new RefusedCall('CANCELED', 'The statement was cancelled and did not end in time.')),
  };
  return {
    statement,
    guard: (signal, work) => cancellable(link, signal, () => Promise.race([work(), left])),
    close: async () => void (await bounded(statement.close())),
  };
}

/** Runs a statement from its start to its end. */
export async function useStatement<Result>(
  session: ServerSession,
  toStart: StatementToStart,
  {
    signal,
    work,
  }: {
    readonly signal: AbortSignal;
    readonly work: (statement: StartedStatement, hasRows: boolean) => Promise<Result>;
  },
): Promise<Result> {
  const used = guarded(await session.start(toStart, signal));
  try {
    return await used.guard(signal, async () => {
      const hasRows = await used.statement.finish();
      return await work(used.statement, hasRows);
    });
  } finally {
    await used.close();
  }
}
