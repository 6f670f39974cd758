// Requests of our own beside the SDK's, over sockets with the same guard: each leads to an address that was checked.
import { Agent } from 'node:https';
import { AppError } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { type BoundedAnswer, type BoundedRequest, sendRequest } from '../_shared/send-request.ts';
import { guardAgent } from './guard-agent.ts';

export interface Requester {
  /** Sends a request. Throws the error of a socket, and WAREHOUSE_DATA for an answer that is too long. */
  send(request: BoundedRequest, signal?: AbortSignal): Promise<BoundedAnswer>;
  /** Sends a request. The answer may be the beginning of one that is too long. */
  sendAny(request: BoundedRequest, signal?: AbortSignal): Promise<BoundedAnswer>;
  /** Closes all sockets. */
  close(): void;
}

export function createRequester(environment: ConnectorEnvironment): Requester {
  const agent = new Agent({ keepAlive: true });
  guardAgent(agent, environment);
  const sendAny: Requester['sendAny'] = (request, signal) => sendRequest(agent, request, signal);
  return {
    sendAny,
    async send(request, signal) {
      const answer = await sendAny(request, signal);
      if (answer.isWhole) return answer;
      const { url, mostBytes } = request;
      throw new AppError('WAREHOUSE_DATA', `An answer of ${url.host} has more than ${mostBytes} bytes.`);
    },
    close: () => agent.destroy(),
  };
}
