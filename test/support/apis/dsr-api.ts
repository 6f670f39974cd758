// The data subject request API over a test store, with a clock that stands still and a certificate of its own.
import { randomUUID } from 'node:crypto';
import { createSettingsReader } from '../../../src/access/index.ts';
import { createDsr, createProcessor, type DsrOptions } from '../../../src/dsr/index.ts';
import type { HttpServerOptions } from '../../../src/http/index.ts';
import { createLog, Secret, type WorkspaceId } from '../../../src/kernel/index.ts';
import { basicOf, someInput, type TestInput } from './input-probes.ts';
import { accessServer, BASE_URL, bearerOf, openTestAccess, someWorkspace, type TestAccess } from './test-access.ts';

export const DOMAIN = 'shop.example';
export const ALIAS = 'other.example';

export interface DsrAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what the tests look into
  readonly body: any;
}

interface Sending {
  readonly body?: unknown;
  /** null: none. */
  readonly input?: TestInput | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface DsrApi extends AsyncDisposable {
  readonly access: TestAccess;
  readonly workspaceId: WorkspaceId;
  readonly input: TestInput;
  readonly server: ReturnType<typeof accessServer>;
  send(method: 'POST' | 'GET' | 'DELETE' | 'PUT', url: string, sending?: Sending): Promise<DsrAnswer>;
  post(url: string, body: unknown, sending?: Sending): Promise<DsrAnswer>;
  get(url: string, sending?: Sending): Promise<DsrAnswer>;
  /** Of what is no JSON, without credentials. */
  raw(url: string): Promise<Omit<DsrAnswer, 'body'>>;
  delete(url: string, sending?: Sending): Promise<DsrAnswer>;
  /** What a caller of the platform API sends as Authorization. */
  readonly bearer: string;
  /** Of the workspace, by the platform API. */
  putSettings(settings: object): Promise<void>;
}

export async function openDsrApi(
  given: Partial<DsrOptions> = {},
  http: Partial<HttpServerOptions> = {},
): Promise<DsrApi> {
  const access = await openTestAccess();
  const { store, clock, keyRing } = access;
  const log = createLog('silent');
  const made = await someWorkspace(access);
  const input = await someInput(access, made.workspaceId, ['dsr']);
  const dsr = createDsr({
    ...{
      store,
      clock,
      keyRing,
      identityKey: new Secret('the key of all tests'),
      settingsOf: createSettingsReader({ store, clock }),
    },
    outgoing: { whyRefused: async (url) => (url.startsWith('https://good.') ? undefined : `${url} is not taken.`) },
    baseUrl: () => BASE_URL,
    dsr: { domain: DOMAIN, domainAliases: [ALIAS], callbackMinutes: 15 },
    ...{ log, processor: createProcessor({ store, clock, keyRing, log, domain: DOMAIN }) },
    ...given,
  } as DsrOptions);
  const server = accessServer(access, dsr.endpoints, { http });
  const bearer = await bearerOf(server, made.credential);
  const api: DsrApi = {
    ...{ access, workspaceId: made.workspaceId, input, bearer, server },
    async send(method, url, { body, input: other = input, headers = {} } = {}) {
      const authorization = other === null ? {} : { authorization: basicOf(other.key, other.secret) };
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const all = { ...type, ...authorization, ...headers };
      const answer = await server.inject({ method, url, headers: all, ...(payload === undefined ? {} : { payload }) });
      return {
        status: answer.statusCode,
        headers: answer.headers as DsrAnswer['headers'],
        text: answer.body,
        body: answer.body.startsWith('{') || answer.body.startsWith('[') ? JSON.parse(answer.body) : undefined,
      };
    },
    post: (url, body, sending) => api.send('POST', url, { body, ...sending }),
    async raw(url) {
      const { statusCode, headers, body } = await server.inject({ method: 'GET', url });
      return { status: statusCode, headers: headers as DsrAnswer['headers'], text: body };
    },
    get: (url, sending) => api.send('GET', url, sending),
    delete: (url, sending) => api.send('DELETE', url, sending),
    async putSettings(settings) {
      const url = `/platform/v2/workspaces/${made.workspaceId}/settings`;
      const answer = await server.inject({ method: 'PUT', url, headers: { authorization: bearer }, payload: settings });
      if (answer.statusCode !== 200) throw new Error(answer.body);
      // settings are believed for some seconds
      clock.advance(10_000);
    },
    [Symbol.asyncDispose]: () => access[Symbol.asyncDispose](),
  };
  return api;
}

let people = 0;
/** A value that no other request has: equal ones would meet. */
export const somebody = (): string => `person-${++people}@example.org`;

/** A body of version 3 about somebody new. */
export function bodyThree(rest: object = {}) {
  return {
    regulation: 'gdpr',
    ...{ subject_request_id: randomUUID(), subject_request_type: 'erasure', submitted_time: '2026-01-15T12:00:00Z' },
    subject_identities: { email: { value: somebody(), encoding: 'raw' } },
    ...rest,
  };
}

/** A body of version 2; without its regulation one of version 1. */
export function bodyTwo(rest: object = {}) {
  return {
    regulation: 'gdpr',
    ...{ subject_request_id: randomUUID(), subject_request_type: 'access', submitted_time: '2026-01-15T12:00:00Z' },
    subject_identities: [{ identity_type: 'email', identity_value: somebody(), identity_format: 'raw' }],
    ...rest,
  };
}

export const bodyOne = (rest: object = {}) => ({ ...bodyTwo(rest), regulation: undefined });
