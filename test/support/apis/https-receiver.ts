// An HTTPS server on a free port of this machine, as a receiver of callbacks runs one.
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, CERTIFICATE_KEY } from './localhost-certificate.ts';

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface HttpsReceiver extends AsyncDisposable {
  /** `https://localhost:port` */
  readonly url: string;
  readonly port: number;
  /** In the order in which their last byte came. */
  readonly received: readonly Received[];
}

export type Respond = (received: Received, response: ServerResponse) => void;

interface ReceiverOptions {
  readonly respond?: Respond;
  /** In place of one for localhost. */
  readonly pair?: { readonly cert: string; readonly key: string };
}

const accept: Respond = (_received, response) => void response.writeHead(202).end();

export async function openReceiver({ respond = accept, pair }: ReceiverOptions = {}): Promise<HttpsReceiver> {
  const received: Received[] = [];
  const server = createServer(pair ?? { cert: CERTIFICATE, key: CERTIFICATE_KEY }, async (request, response) => {
    const { method, url: path, headers } = request;
    const one = { method, path, headers, body: await bodyOf(request) };
    received.push(one);
    respond(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    port,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
