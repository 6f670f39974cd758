// A partner over real TLS that keeps what it receives, for tests of what is forwarded.
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createOutgoing, type Outgoing } from '../../../src/http/index.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from './localhost-certificate.ts';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface TestPartner extends AsyncDisposable {
  readonly url: string;
  /** In the order they came. */
  readonly received: Received[];
  /** What it answers from now on; 202 until it is set. 0: it breaks the connection off. */
  answer: { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };
}

export async function openTestPartner(): Promise<TestPartner> {
  const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, async (request, response) => {
    const { method, url: path, headers } = request;
    partner.received.push({ method, path, headers, body: await text(request) });
    const { status, body, headers: answered } = partner.answer;
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, answered).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const partner: TestPartner = {
    url: `https://localhost:${(server.address() as AddressInfo).port}/requests`,
    received: [],
    answer: { status: 202 },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return partner;
}

/** Calls as a daemon makes them whose configuration names the test partner's host. */
export function outgoingToPartner(): Outgoing {
  return outgoing;
}

/** One for all: the first call of each reads the system's authorities. */
const outgoing = createOutgoing({ allowedHosts: ['localhost'], ca: CERTIFICATE });
