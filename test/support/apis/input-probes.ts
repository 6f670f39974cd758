import { createHmac } from 'node:crypto';
import { Type } from 'typebox';
import { createInputCredential, type InputUse } from '../../../src/access/index.ts';
import { defineEndpoint, type Endpoint, type InputRule, NO_PARAMETERS } from '../../../src/http/index.ts';
import type { WorkspaceId } from '../../../src/kernel/index.ts';
import { ACTOR, accessServer, openTestAccess, someWorkspace, type TestAccess } from './test-access.ts';

const KeyParam = Type.Object({ key: Type.String() });

function probe(credential: InputRule, rest: Pick<Endpoint, 'api' | 'path'> & Partial<Endpoint>): Endpoint {
  return defineEndpoint({
    method: 'POST',
    credential,
    operationId: credential,
    summary: 'Answers who is calling',
    tag: 'Test',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: Type.Unknown(),
    bodyCheck: 'handler',
    responses: { 200: Type.Unknown() },
    handler: async ({ caller, bodyText }) => ({
      status: 200,
      body: { ...caller.input, actor: caller.actor, bodyText },
    }),
    ...rest,
  });
}

/** One endpoint for each credential of the data APIs; each answers who is calling. */
export const inputProbes: readonly Endpoint[] = [
  probe('input_events', { api: 'events', path: '/v2/events' }),
  probe('input_web_events', {
    api: 'events',
    path: '/v3/JS/:key/events',
    params: KeyParam,
    plainText: true,
    aliases: ['/webevents/v3/JS/:key/events'],
  }),
  probe('input_identity', { api: 'identity', path: '/v1/identify', aliases: ['/identity/v1/identify'] }),
  probe('input_analytics', { api: 'analytics', path: '/v1/batch' }),
];

export interface TestInput {
  readonly key: string;
  readonly secret: string;
}

export async function someInput(
  access: TestAccess,
  workspaceId: WorkspaceId,
  uses: readonly InputUse[] = ['server'],
): Promise<TestInput> {
  const made = await createInputCredential(access, { workspaceId, name: 'shop', uses, actor: ACTOR });
  return { key: made.key, secret: made.secret.reveal() };
}

export const basicOf = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

/** Returns the signature of a request (D-048), written anew. */
export function signatureOf(
  { secret }: TestInput,
  { method = 'POST', date, path, body }: { method?: string; date: string; path: string; body: string },
): string {
  return createHmac('sha256', secret)
    .update([method, date, `${path}${body}`].join('\n'))
    .digest('hex');
}

/** A workspace with an input that may be used so, and a daemon to call. */
export async function readyInput(uses?: readonly InputUse[]) {
  const access = await openTestAccess();
  const { workspaceId, credential } = await someWorkspace(access);
  const input = await someInput(access, workspaceId, uses);
  return {
    access,
    workspaceId,
    credential,
    input,
    ...inputCallers(access),
    [Symbol.asyncDispose]: access[Symbol.asyncDispose],
  };
}

interface Call {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly address?: string;
}

/** A daemon of its own on the same store. */
export function inputCallers(access: TestAccess) {
  const server = accessServer(access, inputProbes);
  const post = async ({ url, headers = {}, body = '{}', address = '127.0.0.1' }: Call) => {
    const answer = await server.inject({
      method: 'POST',
      url,
      payload: body,
      headers: { 'content-type': 'application/json', ...headers },
      remoteAddress: address,
    });
    return { status: answer.statusCode, body: JSON.parse(answer.body), headers: answer.headers };
  };
  const basic = (url: string, user: string, password: string) =>
    post({ url, headers: { authorization: basicOf(user, password) } });
  const dateOf = (offsetMs = 0) => new Date(access.clock.nowMs() + offsetMs).toUTCString();
  const signed = (
    input: TestInput,
    { url, path = url, date = dateOf(), body = '{}' }: { url: string; path?: string; date?: string; body?: string },
  ) => {
    const signature = signatureOf(input, { date, path, body });
    return post({ url, body, headers: { 'x-mp-key': input.key, date, 'x-mp-signature': signature } });
  };
  return { server, post, basic, signed, dateOf };
}
