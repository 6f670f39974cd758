// Requests of our own beside the SDK's, over sockets with the same guard: each leads to an address that was checked.
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request as startRequest } from 'node:https';
import { AppError } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { noAnswerWithin } from '../_shared/timeout-error.ts';
import { guardAgent } from './guard-agent.ts';

export interface GuardedRequest extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly url: URL;
  readonly body?: string;
  /** Bytes of the longest answer; a longer one is a failure. */
  readonly mostBytes: number;
  /** Longest wait for the answer, and between its parts. */
  readonly limitMs: number;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Requester {
  send(request: GuardedRequest, signal?: AbortSignal): Promise<GuardedAnswer>;
  /** Closes all sockets. */
  close(): void;
}

export function createRequester(environment: ConnectorEnvironment): Requester {
  const agent = new Agent({ keepAlive: true });
  guardAgent(agent, environment);
  return {
    send: ({ url, body, mostBytes, limitMs, ...options }, signal) =>
      new Promise((resolve, reject) => {
        const stopped = signal === undefined ? {} : { signal };
        const request = startRequest(url, { ...options, agent, ...stopped }, (answer) => {
          const { statusCode: status = 0, headers } = answer;
          resolve(collect(answer, mostBytes).then((found) => ({ status, headers, body: found })));
        });
        request.setTimeout(limitMs, () => request.destroy(noAnswerWithin(limitMs)));
        request.on('error', reject);
        // an answer that changes the protocol closes the connection without an error
        request.once('close', () => reject(closedEarly()));
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function closedEarly(): Error {
  return Object.assign(new Error('The server closed the connection'), { code: 'ECONNRESET' });
}

async function collect(answer: AsyncIterable<Buffer>, mostBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes > mostBytes) throw new AppError('WAREHOUSE_DATA', `An answer has more than ${mostBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts, bytes);
}
