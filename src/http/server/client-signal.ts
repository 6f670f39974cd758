import type { ServerResponse } from 'node:http';

/**
 * Returns a signal that aborts when the connection closes before the answer was written. The request's own `close` event does
 * not tell: Node emits it as soon as the body has been read. The signal is made when a handler first asks, as most never do.
 */
export function clientSignal(response: ServerResponse): () => AbortSignal {
  let signal: AbortSignal | undefined;
  return () => {
    signal ??= watch(response);
    return signal;
  };
}

function watch(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const look = (): void => {
    if (!response.writableEnded) controller.abort();
  };
  if (response.closed) look();
  else response.once('close', look);
  return controller.signal;
}
