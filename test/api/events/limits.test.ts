// The limits of batches: a value over one is refused with its path, never cut (D-031).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EventsApi, forgetBatches, gzipped, openEventsApi } from '../../support/apis/events-api.ts';
import { readLog } from '../../support/batches/deliver-batches.ts';

const EVENT = { event_type: 'custom_event', data: { custom_event_type: 'navigation', event_name: 'Opened' } };
const SINGLE = '/v2/events';
const BULK = '/v2/bulkevents';
/** A batch of that many bytes. */
const ofBytes = (bytes: number) => `{"api_key":"${'x'.repeat(bytes - 14)}"}`;

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi();
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => forgetBatches(api));

const log = () => readLog(api.access.store);

describe('limits', () => {
  test('a batch may have 128 KB, counted after decompression', async () => {
    expect((await api.post(SINGLE, ofBytes(131_072))).status).toBe(202);
    expect((await api.post(SINGLE, ofBytes(131_073))).status).toBe(413);
    const bomb = gzipped('x'.repeat(140_000));
    expect((await api.post(SINGLE, bomb, { headers: { 'content-encoding': 'gzip' } })).status).toBe(413);
  });

  test('a bulk request may have 256 KB, and each batch 128 KB', async () => {
    expect((await api.post(BULK, `[${ofBytes(131_000)},${ofBytes(131_000)}]`)).status).toBe(202);
    expect((await api.post(BULK, `[${ofBytes(131_072)},${ofBytes(131_072)}]`)).status).toBe(413);
    expect((await api.post(BULK, `[${ofBytes(131_073)},{}]`)).status).toBe(202);
    const { body } = await api.get('/rejected-batches');
    const [rejected] = (body as { items: { batch: unknown; errors: { message: string }[] }[] }).items;
    expect(rejected?.batch).toBeNull();
    expect(rejected?.errors[0]?.message).toContain('131073 bytes; at most 131072');
    expect(await log()).toHaveLength(3);
  });

  const attributes = { custom_attributes: { a: 1, b: 2 } };
  test.each([
    {
      limits: { attributes_per_event: 1 },
      batch: { events: [{ ...EVENT, data: { ...EVENT.data, ...attributes } }] },
      message: 'events[0].data.custom_attributes: has 2 attributes; at most 1',
    },
    {
      limits: { user_attributes_per_batch: 1 },
      batch: { user_attributes: { a: 1, b: 2 } },
      message: 'user_attributes: has 2 attributes; at most 1',
    },
    {
      limits: { name_characters: 2 },
      batch: { user_attributes: { abc: 1 } },
      message: 'user_attributes.abc: has a name that has 3 characters; at most 2',
    },
    {
      limits: { name_characters: 5 },
      batch: { events: [EVENT] },
      message: 'events[0].data.event_name: has 6 characters; at most 5',
    },
    {
      limits: { value_characters: 3 },
      batch: { user_attributes: { a: 'abcd' } },
      message: 'user_attributes.a: has 4 characters; at most 3',
    },
  ])('of the workspace count: $message', async ({ limits, batch, message }) => {
    expect((await api.post(SINGLE, batch)).status).toBe(202);
    expect(await api.put('/settings', { limits })).toBe(200);
    const { status, messages } = await api.post(SINGLE, batch);
    expect([status, messages]).toEqual([400, [expect.stringContaining(message)]]);
  });

  test('a profile holds so many attributes; what would pass them is refused, and recorded where it came in bulk', async () => {
    expect(await api.put('/settings', { limits: { profile_attributes: 2 } })).toBe(200);
    const saying = (names: string) => ({
      user_identities: { customer_id: 'ann' },
      user_attributes: Object.fromEntries([...names].map((name) => [name, 1])),
    });
    const reason = 'The profile would hold 3 attributes, and limits.profile_attributes allows 2';
    expect((await api.post(SINGLE, saying('ab'))).status).toBe(202);
    const { status, messages } = await api.post(SINGLE, saying('c'));
    expect([status, messages]).toEqual([400, [expect.stringContaining(`user_attributes: ${reason}`)]]);
    expect((await api.post(BULK, [saying('d'), saying('a')])).status).toBe(202);
    expect(await log()).toHaveLength(2);
    const [recorded] = await api.access.store.query<{ errors: string }>('SELECT errors FROM rejected_batches');
    expect(JSON.parse(recorded?.errors ?? '')).toEqual([
      { path: 'user_attributes', message: expect.stringContaining(reason) },
    ]);
  });

  test('a profile holds so many identities; what would pass them is refused, and recorded where it came in bulk', async () => {
    expect(await api.put('/settings', { limits: { profile_identities: 2 } })).toBe(200);
    const saying = (identities: object) => ({ user_identities: { customer_id: 'bea', ...identities } });
    const reason = 'The profile would hold 3 identities, and limits.profile_identities allows 2';
    expect((await api.post(SINGLE, saying({ email: 'bea@x' }))).status).toBe(202);
    const { status, messages } = await api.post(SINGLE, saying({ google: 'bea' }));
    expect([status, messages]).toEqual([400, [expect.stringContaining(`user_identities: ${reason}`)]]);
    expect((await api.post(BULK, [saying({ yahoo: 'bea' }), saying({})])).status).toBe(202);
    expect(await log()).toHaveLength(2);
    const [recorded] = await api.access.store.query<{ errors: string }>('SELECT errors FROM rejected_batches');
    expect(JSON.parse(recorded?.errors ?? '')).toEqual([
      { path: 'user_identities', message: expect.stringContaining(reason) },
    ]);
  });

  test('a workspace may send so many batches a second; then 429 says when to come back', async () => {
    expect(await api.put('/settings', { limits: { batches_per_second: 10 } })).toBe(200);
    const header = 'x-mp-rate-limit-percentage-used';
    expect((await api.post(SINGLE, {})).headers[header]).toBe('10');
    expect((await api.post(BULK, [{}, {}, {}])).headers[header]).toBe('40');
    expect((await api.post(BULK, Array(7).fill({}))).status).toBe(429);
    expect((await api.post(BULK, Array(6).fill({}))).headers[header]).toBe('100');
    const over = await api.post(SINGLE, {});
    expect([over.status, over.headers['retry-after'], over.headers[header]]).toEqual([429, '1', undefined]);
    expect(await log()).toHaveLength(10);
    api.access.clock.advance(500);
    expect((await api.post(BULK, Array(5).fill({}))).status).toBe(202);
  });
});
