// The settings of a workspace as a whole daemon uses them: at once after a PUT, and below the operator's ceilings.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInputCredential, initialise } from '../../../src/access/index.ts';
import { type App, createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { basicOf } from '../../support/apis/input-probes.ts';
import { transformationBody } from '../../support/apis/sync-api.ts';
import { bearerOf } from '../../support/apis/test-access.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const BASE_URL = 'http://penstock.test';
const KEY = Buffer.alloc(32, 'changed settings').toString('base64');

let store: Store;
let app: App;
let ask: (method: 'POST' | 'PUT', path: string, body: object) => Promise<{ status: number; text: string }>;
let identify: (identities: object, flags?: string) => Promise<unknown>;

beforeAll(async () => {
  store = await openTestStore();
  const config = readConfig({
    ...{ DATABASE_URL: store.databaseUrl, PENSTOCK_HOME: '/nowhere', PENSTOCK_PORT: '0', PENSTOCK_BASE_URL: BASE_URL },
    ...{ PENSTOCK_ENCRYPTION_KEYS: `k1:${KEY}`, PENSTOCK_IDENTITY_KEY: KEY },
    PENSTOCK_LIMIT_CEILINGS: 'name_characters=20',
  });
  app = await createApp(config, { log: createLog('silent') });
  const names = { organisation: 'home', account: 'home', workspace: 'home' };
  const { workspaceId, credential } = await initialise(app, { ...names, actor: 'operator:test' });
  const authorization = await bearerOf(app.http, credential, BASE_URL);
  ask = async (method, path, payload) => {
    const url = `/platform/v2/workspaces/${workspaceId}${path}`;
    const { statusCode, body } = await app.http.inject({ method, url, headers: { authorization }, payload });
    return { status: statusCode, text: body };
  };
  const input = { workspaceId, name: 'shop', uses: ['server'], actor: 'operator:test' } as const;
  const { key, secret } = await createInputCredential(app, input);
  identify = async (user_identities, flags = '') => {
    const headers = { authorization: basicOf(key, secret.reveal()) };
    const answer = await app.http.inject({
      method: 'POST',
      url: `/v1/identify${flags}`,
      headers,
      payload: { user_identities },
    });
    return JSON.parse(answer.body).mpid;
  };
});
afterAll(async () => {
  await app.drain(5000);
  await store[Symbol.asyncDispose]();
});

test('a request right after the PUT goes by the new priority', async () => {
  const ann = await identify({ email: 'ann@x' });
  const other = await identify({ other: 'o' });
  const both = () => identify({ email: 'ann@x', other: 'o' }, '?read_only=true');
  expect(await both()).toBe(ann);
  for (const [first, second, mpid] of [
    ['other', 'email', other],
    ['email', 'other', ann],
    ['other', 'email', other],
  ]) {
    const { status } = await ask('PUT', '/settings', { identity: { priority: [first, second, 'customer_id'] } });
    expect(status).toBe(200);
    expect(await both()).toBe(mpid);
  }
});

test('a field transformation is held to the ceilings of the operator', async () => {
  const to = (name: string) => ({
    ...{ ...transformationBody, id: name.length.toString() },
    mappings: [
      ...transformationBody.mappings,
      { mapping_type: 'static', value: 'v', destination: `events.data.custom_attributes.${name}` },
    ],
  });
  expect((await ask('POST', '/field-transformations', to('x'.repeat(20)))).status).toBe(200);
  const { status, text } = await ask('POST', '/field-transformations', to('x'.repeat(21)));
  expect([status, text]).toEqual([400, expect.stringContaining('21 characters; at most 20')]);
});
