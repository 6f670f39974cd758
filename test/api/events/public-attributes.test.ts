// docs/inputs.md, Trust in public keys: which attributes batches and analytics calls set and remove with a key alone.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/kernel/index.ts';
import { type EventsApi, forgetBatches, openEventsApi } from '../../support/apis/events-api.ts';

type Attributes = Readonly<Record<string, string | null>>;

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi(['server', 'web', 'write_key']);
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetBatches(api);
  await api.access.store.execute('TRUNCATE profiles, profile_identities');
});

const batchOf = (user_attributes: Attributes, rest: object = {}) => ({
  ...{ user_identities: { customer_id: 'ann' }, user_attributes },
  ...{ events: [{ event_type: 'screen_view', data: { screen_name: 'Home' } }], ...rest },
});
const callOf = (traits: Attributes) => ({ type: 'identify', userId: 'ann', traits });
const withKeyAlone = () => ({ input: { key: api.input.key, secret: '' } });

/** The ways in that take a key alone, and hear nothing of a secret beside it. */
const PUBLIC = {
  'a web batch': (said: Attributes) => api.post(`/v3/JS/${api.input.key}/events`, batchOf(said), { input: null }),
  'a web batch under the prefix of the SDK': (said: Attributes) =>
    api.post(`/webevents/v3/JS/${api.input.key}/events`, batchOf(said), { input: null }),
  'a web batch with credentials beside the key': (said: Attributes) =>
    api.post(`/v3/JS/${api.input.key}/events`, batchOf(said)),
  'an analytics batch': (said: Attributes) => api.post('/v1/batch', { batch: [callOf(said)] }, withKeyAlone()),
  'an analytics identify': (said: Attributes) => api.post('/analytics/v1/identify', callOf(said), withKeyAlone()),
  'an analytics identify with its traits in the context': (said: Attributes) =>
    api.post('/analytics/v1/identify', { type: 'identify', userId: 'ann', context: { traits: said } }, withKeyAlone()),
} as const;
const TRUSTED = {
  'a batch': (said: Attributes) => api.post('/v2/events', batchOf(said)),
  'a bulk batch': (said: Attributes) => api.post('/v2/bulkevents', [batchOf(said)]),
  'an analytics batch': (said: Attributes) => api.post('/v1/batch', { batch: [callOf(said)] }),
  'an analytics identify': (said: Attributes) => api.post('/analytics/v1/identify', callOf(said)),
} as const;

async function profile(): Promise<unknown> {
  const rows = await api.access.store.query<{ text: string }>('SELECT attributes::text AS text FROM profiles');
  expect(rows).toHaveLength(1);
  return parseJson(rows[0]?.text ?? '');
}

/** Attributes of the newest batch that is kept. */
async function kept(): Promise<unknown> {
  const [row] = await api.access.store.query<{ text: string }>(
    'SELECT text FROM event_batches ORDER BY received_on DESC, id DESC LIMIT 1',
  );
  const { user_attributes } = parseJson(row?.text ?? '') as { readonly user_attributes?: unknown };
  return user_attributes;
}

async function say(way: (said: Attributes) => ReturnType<EventsApi['post']>, said: Attributes): Promise<void> {
  api.access.clock.advance(1000);
  expect([200, 202]).toContain((await way(said)).status);
}

const allow = async (attributes: unknown) =>
  expect(await api.put('/settings', { public_keys: { attributes } })).toBe(200);

describe.each(Object.entries(PUBLIC))('%s', (_name, way) => {
  test.each([
    ['none', {}],
    [['city'], { city: 'Rome' }],
    [['city', 'other'], { city: 'Rome' }],
    ['any', { city: 'Rome', plan: 'gold' }],
  ])('sets those that public_keys.attributes allows: %j', async (attributes, expected) => {
    await allow(attributes);
    await say(way, { city: 'Rome', plan: 'gold' });
    expect(await profile()).toEqual(expected);
    expect(await kept()).toEqual({ city: 'Rome', plan: 'gold' });
  });

  test('sets all where the workspace says nothing, and no longer those that it forbids since', async () => {
    await say(way, { city: 'Rome', plan: 'gold' });
    expect(await profile()).toEqual({ city: 'Rome', plan: 'gold' });
    await allow(['city']);
    await say(way, { city: 'Vienna', plan: 'lead' });
    expect(await profile()).toEqual({ city: 'Vienna', plan: 'gold' });
  });

  test('changes none that others set and public keys may not', async () => {
    await allow(['city']);
    await say(TRUSTED['a batch'], { city: 'Rome', plan: 'gold' });
    await say(way, { city: 'Vienna', plan: 'lead' });
    expect(await profile()).toEqual({ city: 'Vienna', plan: 'gold' });
  });
});

test.each([
  ['none', { city: 'Rome', plan: 'gold' }],
  [['city'], { plan: 'gold' }],
  ['any', {}],
])('a web batch removes those alone that it may set, by null or by name: %j', async (attributes, expected) => {
  await allow(attributes);
  for (const rest of [{}, { deleted_user_attributes: ['city', 'plan'] }]) {
    await say(TRUSTED['a batch'], { city: 'Rome', plan: 'gold' });
    const said = 'deleted_user_attributes' in rest ? {} : { city: null, plan: null };
    await say(() => api.post(`/v3/JS/${api.input.key}/events`, batchOf(said, rest), { input: null }), {});
    expect(await profile()).toEqual(expected);
  }
});

test.each(Object.entries(TRUSTED))('%s with the secret sets what public keys may not', async (_name, way) => {
  await allow('none');
  await say(way, { city: 'Rome' });
  expect(await profile()).toEqual({ city: 'Rome' });
});
