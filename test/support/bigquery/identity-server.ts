// Google's places for tokens, on this machine: the token exchange, the IAM Credentials API, and the metadata server of a cloud
// machine. Each hands out a token of its own, so that a test sees which one reached BigQuery.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IdentityCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface IdentityServer extends AsyncDisposable {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly calls: readonly IdentityCall[];
  /** Answers by itself; undefined: as documented. */
  refusal: (call: IdentityCall) => { readonly status: number; readonly body: unknown } | undefined;
}

export const TOKENS = {
  exchanged: 'token-of-the-exchange',
  impersonated: 'token-of-iam',
  machine: 'token-of-the-machine',
};

export async function openIdentityServer(): Promise<IdentityServer> {
  const calls: IdentityCall[] = [];
  const own: Pick<IdentityServer, 'refusal'> = { refusal: () => undefined };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    calls.push(call);
    const { status, body: answer } = own.refusal(call) ?? answerOf(call);
    const headers = { 'content-type': 'application/json', 'metadata-flavor': 'Google' };
    response.writeHead(status, headers).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(own, {
    origin: `http://127.0.0.1:${port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

function answerOf({ path }: IdentityCall): { readonly status: number; readonly body: unknown } {
  if (path === '/v1/token') {
    const issued = 'urn:ietf:params:oauth:token-type:access_token';
    const body = { access_token: TOKENS.exchanged, issued_token_type: issued, token_type: 'Bearer', expires_in: 3600 };
    return { status: 200, body };
  }
  if (path.endsWith(':generateAccessToken')) {
    const expireTime = new Date(Date.now() + 3_600_000).toISOString();
    return { status: 200, body: { accessToken: TOKENS.impersonated, expireTime } };
  }
  if (path.startsWith('/computeMetadata/v1/instance/service-accounts/default/token'))
    return { status: 200, body: { access_token: TOKENS.machine, expires_in: 3600, token_type: 'Bearer' } };
  if (path.startsWith('/computeMetadata/v1/universe')) return { status: 200, body: 'googleapis.com' };
  return { status: path.startsWith('/computeMetadata') ? 200 : 404, body: 'default/' };
}
