import { systemClock } from '../../../src/kernel/index.ts';
import { timeoutError } from '../../_shared/timeout-error.ts';
import type { RowStream } from '../sdk.ts';

export interface Events {
  readonly hasEnded: boolean;
  readonly failure: { readonly thrown: unknown } | undefined;
  /** Resolves when something happened. Throws on an abort, or when nothing happens for too long. */
  next(waiting: { readonly signal: AbortSignal; readonly idleMs: number }): Promise<void>;
}

/** Watches the events of a stream of rows. The SDK has let streams hang without an error, so no wait is endless. */
export function watchStream(stream: RowStream): Events {
  const state: { hasEnded: boolean; failure: Events['failure'] } = { hasEnded: false, failure: undefined };
  let wake = (): void => undefined;
  const end = () => {
    state.hasEnded = true;
    wake();
  };
  stream.on('readable', () => wake());
  stream.on('end', end);
  stream.on('close', end);
  stream.on('error', (thrown) => {
    state.failure = { thrown };
    wake();
  });
  return {
    get hasEnded() {
      return state.hasEnded;
    },
    get failure() {
      return state.failure;
    },
    async next({ signal, idleMs }) {
      const happened = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const settled = new AbortController();
      try {
        await Promise.race([happened, silence(idleMs, AbortSignal.any([signal, settled.signal]))]);
      } finally {
        settled.abort();
      }
      signal.throwIfAborted();
    },
  };
}

/** Throws after a silence of `idleMs`; resolves when the wait is over. */
async function silence(idleMs: number, over: AbortSignal): Promise<void> {
  await systemClock.sleep(idleMs, over).catch(() => undefined);
  if (!over.aborted) throw timeoutError(`No row came for ${idleMs / 1000} s`);
}
