import { createSettingsReader, type InputUse } from '../../../src/access/index.ts';
import { createIdentityRequests, identityEndpoints } from '../../../src/identity/index.ts';
import { testIdentities } from '../people/deliver-people.ts';
import { basicOf, someInput, type TestInput } from './input-probes.ts';
import { accessServer, bearerOf, openTestAccess, someWorkspace } from './test-access.ts';

interface IdentityAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  readonly body: any;
  readonly text: string;
}

/** The identity API of one daemon, with a workspace and an input that calls it with its secret. */
export async function openIdentityApi(uses: readonly InputUse[] = ['server', 'identity_key_only']) {
  const access = await openTestAccess();
  const { store, clock } = access;
  const requests = createIdentityRequests({ store, identities: testIdentities() });
  const settingsOf = createSettingsReader({ store, clock });
  const server = accessServer(access, identityEndpoints({ requests, settingsOf, clock }));
  const home = await someWorkspace(access);
  const input = await someInput(access, home.workspaceId, uses);
  const call = async (
    url: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
  ): Promise<IdentityAnswer> => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const sent = { 'content-type': 'application/json', ...headers };
    const answer = await server.inject({ method: 'POST', url, headers: sent, payload });
    return { status: answer.statusCode, body: JSON.parse(answer.body), text: answer.body };
  };
  const basic = ({ key, secret }: TestInput) => ({ authorization: basicOf(key, secret) });
  const setUp = async (settings: object) => {
    const bearer = await bearerOf(server, home.credential);
    const url = `/platform/v2/workspaces/${home.workspaceId}/settings`;
    const answer = await server.inject({ method: 'PUT', url, headers: { authorization: bearer }, payload: settings });
    if (answer.statusCode !== 200) throw new Error(answer.body);
  };
  return {
    ...{ access, store, clock, input, workspaceId: home.workspaceId, setUp },
    /** A further workspace's input. */
    stranger: async (): Promise<TestInput> => someInput(access, (await someWorkspace(access)).workspaceId, uses),
    post: (url: string, body: unknown, as: TestInput = input) => call(url, body, basic(as)),
    postWithKeyOnly: (url: string, body: unknown) => call(url, body, { 'x-mp-key': input.key }),
    [Symbol.asyncDispose]: async () => {
      await requests.drain();
      await access[Symbol.asyncDispose]();
    },
  };
}

export type IdentityApi = Awaited<ReturnType<typeof openIdentityApi>>;

/** As the client SDKs send it. */
export const sdkBody = (known: Readonly<Record<string, unknown>>, rest: object = {}) => ({
  client_sdk: { platform: 'web', sdk_vendor: 'mparticle', sdk_version: '2.68.0' },
  context: null,
  environment: 'production',
  request_id: '6c6a234f-e171-4588-90a2-d7bc02530ec3',
  request_timestamp_ms: 1_700_000_000_000,
  previous_mpid: null,
  known_identities: known,
  ...rest,
});
