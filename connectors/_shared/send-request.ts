// Requests of our own over agents whose sockets are guarded. The length of an answer and its time are bounded, because a
// connection may name the server.
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import { type Agent, type RequestOptions, request as startRequest } from 'node:https';
import { answerTo, readUpTo, systemClock } from '../../src/kernel/index.ts';
import { noAnswerWithin } from './timeout-error.ts';

export interface BoundedRequest extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly url: URL;
  readonly body?: string;
  /** Bytes of the longest answer. */
  readonly mostBytes: number;
  /** Longest wait for the answer, and between its parts. Absent: only the whole is bounded. */
  readonly idleMs?: number;
  /** Longest time until the answer is whole. Absent: only its pauses are bounded. */
  readonly totalMs?: number;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The answer is not longer than it may be; the rest of a longer one is left out. */
  readonly isWhole: boolean;
}

/** Sends a request. Throws the error of a socket, and the reason of `signal`. */
export async function sendRequest(
  agent: Agent,
  { url, body, mostBytes, idleMs = 0, totalMs, ...options }: BoundedRequest,
  signal?: AbortSignal,
): Promise<BoundedAnswer> {
  signal?.throwIfAborted();
  const request = startRequest(url, { ...options, agent });
  const settled = new AbortController();
  // beside the request's own error, which comes only once it has a socket
  const ended = Promise.withResolvers<never>();
  const end = (failure: Error) => {
    ended.reject(failure);
    request.destroy(failure);
  };
  signal?.addEventListener('abort', () => end(signal.reason), { once: true, signal: settled.signal });
  request.setTimeout(idleMs, () => end(noAnswerWithin(idleMs)));
  if (totalMs !== undefined)
    void systemClock.sleep(totalMs, settled.signal).then(
      () => end(noAnswerWithin(totalMs)),
      () => undefined,
    );
  try {
    request.end(body);
    return await Promise.race([ended.promise, read(request, mostBytes)]);
  } finally {
    settled.abort();
  }
}

async function read(request: ClientRequest, mostBytes: number): Promise<BoundedAnswer> {
  const answer = await answerTo(request);
  const { bytes, isWhole } = await readUpTo(answer, mostBytes);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: bytes, isWhole };
}
