// The events API over a test store: workspaces with inputs, and what they send.
import { gzipSync } from 'node:zlib';
import { createSettingsReader, type InputUse } from '../../../src/access/index.ts';
import { type BatchDoor, createEvents, eventsEndpoints } from '../../../src/events/index.ts';
import { createRateLimiter } from '../../../src/http/index.ts';
import type { WorkspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { testDoor } from '../batches/batch-door.ts';
import { testIdentities } from '../people/deliver-people.ts';
import { basicOf, someInput, type TestInput } from './input-probes.ts';
import { accessServer, bearerOf, openTestAccess, someWorkspace, type TestAccess } from './test-access.ts';

export interface Sent {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Empty where the answer has none. */
  readonly text: string;
  /** Of a refusal. */
  readonly messages: readonly string[];
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  readonly input?: TestInput | null;
}

export interface EventsApi extends AsyncDisposable {
  readonly access: TestAccess;
  readonly workspaceId: WorkspaceId;
  /** May do all. */
  readonly input: TestInput;
  readonly server: ReturnType<typeof accessServer>;
  readonly door: BatchDoor;
  /** Runs before a statement of the endpoints themselves; what it throws is what the statement throws. */
  onExecute: (statement: string) => void;
  /** Posts a value, text or bytes with Basic credentials of `input`, those given, or none. */
  post(path: string, body: unknown, sending?: Sending): Promise<Sent>;
  put(path: string, body: unknown): Promise<number>;
  get(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
}

export async function openEventsApi(uses: readonly InputUse[] = ['server', 'web']): Promise<EventsApi> {
  const access = await openTestAccess();
  const { store, clock } = access;
  const made = await someWorkspace(access);
  const input = await someInput(access, made.workspaceId, uses);
  const settingsOf = createSettingsReader({ store, clock });
  const identities = testIdentities();
  const events = createEvents({ identities, clock });
  const door = testDoor(store, clock, { events, settingsOf, rates: createRateLimiter({ clock }) });
  const recording: Store = {
    ...store,
    transaction: (work, options) =>
      store.transaction((tx) => {
        const execute: typeof tx.execute = async (statement, values) => {
          api.onExecute(statement);
          return tx.execute(statement, values);
        };
        return work({ ...tx, execute });
      }, options),
  };
  const server = accessServer(
    access,
    eventsEndpoints({ store: recording, clock, identities, batches: door, settingsOf }),
  );
  const bearer = await bearerOf(server, made.credential);
  const base = `/platform/v2/workspaces/${made.workspaceId}`;
  const api: EventsApi = {
    ...{ access, workspaceId: made.workspaceId, input, server, door },
    onExecute: () => undefined,
    async post(url, body, { headers = {}, input: other = input } = {}) {
      const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      const authorization = other === null ? {} : { authorization: basicOf(other.key, other.secret) };
      const all = { 'content-type': 'application/json', ...authorization, ...headers };
      const answer = await server.inject({ method: 'POST', url, payload, headers: all });
      const messages = answer.statusCode < 300 ? [] : messagesOf(answer.body);
      return { status: answer.statusCode, headers: answer.headers, text: answer.body, messages };
    },
    async put(path, payload) {
      const headers = { authorization: bearer };
      const answer = await server.inject({ method: 'PUT', url: base + path, headers, payload: payload as object });
      // settings are believed for some seconds
      clock.advance(10_000);
      return answer.statusCode;
    },
    async get(path) {
      const answer = await server.inject({ url: base + path, headers: { authorization: bearer } });
      return { status: answer.statusCode, body: JSON.parse(answer.body) };
    },
    [Symbol.asyncDispose]: () => access[Symbol.asyncDispose](),
  };
  return api;
}

function messagesOf(text: string): readonly string[] {
  const body = JSON.parse(text) as { readonly errors?: readonly { readonly message: string }[]; message?: string };
  return body.errors?.map(({ message }) => message) ?? [body.message ?? ''];
}

export const gzipped = (value: unknown) => gzipSync(JSON.stringify(value));

/** Nothing kept, nobody's settings changed, and the rate as if nothing had come. Profiles stay. */
export async function forgetBatches(api: EventsApi): Promise<void> {
  const { store, clock } = api.access;
  api.onExecute = () => undefined;
  for (const table of ['event_batches', 'batch_requests', 'rejected_batches', 'workspace_settings'])
    await store.execute(`DELETE FROM ${table}`);
  // past what is believed of settings
  clock.advance(60_000);
}
