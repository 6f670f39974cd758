// An identity provider's token endpoint over TLS, which keeps what it was asked and answers as a test says.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, CERTIFICATE_KEY, trustLocalhost } from '../apis/localhost-certificate.ts';

export interface TokenRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
}

export interface TokenAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is no text is sent as JSON. */
  readonly body: unknown;
}

export interface TokenServer extends AsyncDisposable {
  /** `https://localhost:port/oauth2/v2.0/token`. */
  readonly url: string;
  readonly requests: readonly TokenRequest[];
}

export async function openTokenServer(answer: (request: TokenRequest) => TokenAnswer): Promise<TokenServer> {
  const requests: TokenRequest[] = [];
  const server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, async (incoming, response) => {
    const request = { path: incoming.url ?? '', form: await formOf(incoming) };
    requests.push(request);
    const { status, headers, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  // nothing else tells the SDK whom to trust
  const trustAsBefore = trustLocalhost();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/oauth2/v2.0/token`,
    requests,
    async [Symbol.asyncDispose]() {
      trustAsBefore();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function formOf(incoming: IncomingMessage): Promise<TokenRequest['form']> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString()));
}
