import type { ServerResponse } from 'node:http';

/**
 * Aborts when the connection closes before the answer was written. The request's own `close` event will not do:
 * Node emits it as soon as the body has been read.
 */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return controller.signal;
}
