// Calls of analytics SDKs over HTTP (D-039): what is kept, for whom, and the answer to a bad one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError, parseJson } from '../../../src/kernel/index.ts';
import { type EventsApi, forgetBatches, gzipped, openEventsApi } from '../../support/apis/events-api.ts';

const DEVICE = '6d1fe2a4-0d0f-4b3a-9a53-1f1f4a8a9c11';
let api: EventsApi;

beforeAll(async () => {
  api = await openEventsApi(['server', 'write_key']);
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetBatches(api);
  await api.access.store.execute('TRUNCATE profiles, profile_identities');
});

/** As the SDKs do: the key as user, no password. */
function send(path: string, body: unknown, { post, input } = api) {
  return post(path, body, { input: { key: input.key, secret: '' } });
}

interface Batch {
  readonly events?: readonly { readonly event_type: string }[];
  readonly [field: string]: unknown;
}

async function kept() {
  const rows = await api.access.store.query<{ mpid: bigint; text: string }>(
    'SELECT mpid, text FROM event_batches ORDER BY received_on, id',
  );
  return rows.map(({ mpid, text }) => ({ mpid, batch: parseJson(text) as unknown as Batch }));
}

async function profiles() {
  const rows = await api.access.store.query<{ attributes: string }>(
    'SELECT attributes::text FROM profiles ORDER BY mpid',
  );
  return rows.map(({ attributes }) => parseJson(attributes));
}

interface Rejected {
  readonly items: readonly { readonly errors: readonly { path: string; message: string }[]; readonly batch: unknown }[];
}
const rejected = async () => ((await api.get('/rejected-batches')).body as Rejected).items;

const track = (more: object = {}) => ({ type: 'track', event: 'Signed Up', userId: 'u1', ...more });

describe('a batch of calls', () => {
  test('is answered when all of it is durable: events, and an identify with its traits', async () => {
    const answer = await send('/v1/batch', {
      batch: [
        { type: 'page', name: 'Home', anonymousId: DEVICE },
        { type: 'identify', userId: 'u1', anonymousId: DEVICE, traits: { email: 'Ann@example.com', plan: 'pro' } },
        track({ properties: { price: 19.9 } }),
      ],
      sentAt: new Date().toISOString(),
    });
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
    const batches = await kept();
    expect(batches.map(({ batch }) => batch.events?.[0]?.event_type)).toEqual([
      'screen_view',
      undefined,
      'custom_event',
    ]);
    expect(new Set(batches.map(({ mpid }) => mpid)).size).toBe(1);
    expect(await profiles()).toEqual([{ plan: 'pro' }]);
  });

  test.each(['/v1/batch', '/analytics/v1/batch', '/analytics/v1/batch/'])(
    'may be sent to %s, compressed too, and as a form of which it is none',
    async (path) => {
      const [headers, input] = [
        { 'content-encoding': 'gzip', 'content-type': 'application/x-www-form-urlencoded' },
        { key: api.input.key, secret: '' },
      ];
      expect((await api.post(path, gzipped({ batch: [track()] }), { headers, input })).status).toBe(200);
      expect(await kept()).toHaveLength(1);
    },
  );

  test('keeps the neighbours of a bad call, and records the bad one with its path', async () => {
    const bad = track({ properties: { products: [{ name: 'x' }], note: 'x'.repeat(5000) } });
    const answer = await send('/v1/batch', { batch: [track(), bad, { type: 'reset' }, 7, track()] });
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
    expect(await kept()).toHaveLength(2);
    const items = await rejected();
    expect(items.flatMap(({ errors }) => errors.map(({ path }) => path)).sort()).toEqual([
      'batch[1].properties.note',
      'batch[2].type',
      'batch[3]',
    ]);
    expect(items.map(({ batch }) => batch)).toContainEqual(bad);
  });

  test('keeps the neighbours of a call that has a field twice, and records that one', async () => {
    const call = '{"type":"track","event":"a","userId":"u1","properties":{"n":1,"n":2}}';
    const answer = await send('/v1/batch', `{"batch":[${JSON.stringify(track())},${call}]}`);
    expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
    expect(await kept()).toHaveLength(1);
    const message = 'is given more than once; give it once';
    expect((await rejected()).map(({ errors }) => errors)).toEqual([[{ path: 'batch[1].properties.n', message }]]);
  });

  test.each(['{"batch":[],"batch":[]}', '{"batch":[],"context":{"a":1,"a":2}}'])(
    'is refused where it has a field twice outside its calls: %s',
    async (body) => {
      expect(await send('/v1/batch', body)).toMatchObject({
        status: 400,
        messages: [expect.stringMatching(/^(batch|context\.a): is given more than once/)],
      });
    },
  );

  test('that cannot be recorded keeps nothing: it can be sent again', async () => {
    api.onExecute = (statement) => {
      if (statement.includes('rejected_batches')) throw new AppError('STORE_UNAVAILABLE', 'away');
    };
    expect((await send('/v1/batch', { batch: [track(), { type: 'reset' }] })).status).toBe(503);
    expect(await kept()).toHaveLength(0);
  });

  test('says of an unknown type which there are', async () => {
    await send('/v1/batch', { batch: [{ type: 'reset' }] });
    const [item] = await rejected();
    expect(item?.errors[0]?.message).toBe('must be one of track, page, screen, identify, group, alias, is "reset"');
  });

  test('refuses one who says something about nobody', async () => {
    await send('/v1/batch', {
      batch: [
        { type: 'identify', traits: { plan: 'pro' } },
        { type: 'track', event: 'x' },
      ],
    });
    expect((await rejected()).map(({ errors }) => errors[0]?.message)).toEqual([
      'contains no identity; add a userId, an anonymousId or an e-mail address',
    ]);
    expect((await kept()).map(({ mpid }) => mpid)).toEqual([0n]);
  });

  test('has its own context counted for its calls', async () => {
    await send('/v1/batch', {
      batch: [track({ context: { ip: '::1' } }), track()],
      context: { ip: '1.2.3.4', locale: 'de' },
    });
    expect((await kept()).map(({ batch }) => [batch.ip, batch.device_info])).toEqual([
      ['::1', { locale_language: 'de' }],
      ['1.2.3.4', { locale_language: 'de' }],
    ]);
  });

  test('may have more than 100 calls and 256 KB', async () => {
    const batch = Array.from({ length: 400 }, (_, at) =>
      track({ messageId: `m${at}`, properties: { note: 'x'.repeat(800) } }),
    );
    expect((await send('/v1/batch', { batch })).status).toBe(200);
    expect(await kept()).toHaveLength(400);
  });

  test('keeps every digit', async () => {
    const call = '{"type":"track","event":"x","userId":"u","properties":{"id":9007199254740993,"price":19.90}}';
    await send('/v1/batch', `{"batch":[${call}]}`);
    const [row] = await api.access.store.query<{ text: string }>('SELECT text FROM event_batches');
    expect(row?.text).toContain('"custom_attributes":{"id":9007199254740993,"price":19.9}');
  });

  test.each([
    [{}, 'batch'],
    [{ batch: {} }, 'batch'],
    [[], 'batch'],
    [{ batch: [], sentAt: 'now' }, 'sentAt'],
    [{ batch: [], context: 1 }, 'context'],
    [{ batch: Array.from({ length: 2501 }, () => 1) }, 'at most 2500'],
  ])('is refused whole where it is none: %#', async (body, words) => {
    const answer = await send('/v1/batch', body);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(words);
  });

  test('is refused when it is larger than 512 KiB', async () => {
    expect((await send('/v1/batch', { batch: [], pad: 'x'.repeat(512 * 1024) })).status).toBe(413);
  });

  test('may hold a call that is nested too deeply to be kept', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const calls = ['integrations', 'properties', 'context', 'event'].map(
      (name) => `{"type":"track","${name}":${deep}}`,
    );
    for (const call of calls) {
      expect((await send('/v1/batch', `{"batch":[${call},{"type":"track","event":"x"}]}`)).status).toBe(200);
      expect((await send('/v1/track', call)).status).toBe(400);
    }
    expect(await kept()).toHaveLength(4);
    expect(await rejected()).toHaveLength(4);
  });

  test('may hold text that cannot be stored', async () => {
    const bad = [{ type: 're\0set' }, track({ userId: 'a\0' }), track({ properties: { 'a\0': '\ud800' } })];
    expect((await send('/v1/batch', { batch: [...bad, track()] })).status).toBe(200);
    expect(await kept()).toHaveLength(1);
    expect((await rejected()).map(({ errors }) => errors[0]?.path).sort()).toEqual([
      'batch[0].type',
      'batch[1].userId',
      'batch[2].properties["a\\u0000"]',
    ]);
  });

  test('counts in the workspace’s rate once a call, whether it is kept or refused', async () => {
    expect(await api.put('/settings', { limits: { batches_per_second: 10 } })).toBe(200);
    expect((await send('/v1/batch', { batch: [track(), track(), 7, 7, { type: 'reset' }] })).status).toBe(200);
    expect((await send('/v1/track', {})).status).toBe(400);
    expect((await send('/v1/batch', { batch: Array(5).fill(7) })).status).toBe(429);
    expect((await send('/v1/batch', { batch: Array(4).fill(7) })).status).toBe(200);
    const over = await send('/v1/batch', { batch: [7] });
    expect([over.status, over.headers['retry-after']]).toEqual([429, '1']);
    expect(await rejected()).toHaveLength(7);
  });

  test('of nothing is fine', async () => {
    expect((await send('/v1/batch', { batch: [] })).status).toBe(200);
  });
});

describe('messageId', () => {
  test('is kept once, in one request and over several', async () => {
    const call = track({ messageId: 'm1' });
    await send('/v1/batch', { batch: [call, call, track({ messageId: 'm2' })] });
    await send('/v1/track', call);
    expect((await kept()).map(({ batch }) => batch.source_request_id)).toEqual(['m1', 'm2']);
  });

  test('keeps an identify that comes again from rolling anything back', async () => {
    const identify = (plan: string, messageId: string) => ({ userId: 'u1', traits: { plan }, messageId });
    await send('/analytics/v1/identify', identify('free', 'm1'));
    api.access.clock.advance(1000);
    await send('/analytics/v1/identify', identify('pro', 'm2'));
    api.access.clock.advance(1000);
    await send('/analytics/v1/identify', identify('free', 'm1'));
    expect(await profiles()).toEqual([{ plan: 'pro' }]);
  });
});

describe('a single call', () => {
  test.each([
    ['/v1/track', { event: 'x' }, 'custom_event'],
    ['/v1/page', { name: 'x' }, 'screen_view'],
    ['/v1/screen', { name: 'x' }, 'screen_view'],
    ['/v1/group', { groupId: 'g' }, 'custom_event'],
    ['/v1/alias', { previousId: 'old' }, undefined],
    ['/analytics/v1/track', { event: 'Order Completed' }, 'commerce_event'],
    ['/analytics/v1/page', {}, 'screen_view'],
    ['/analytics/v1/screen', {}, 'screen_view'],
    ['/analytics/v1/identify', { traits: {} }, undefined],
  ])('to %s becomes what its path says', async (path, call, eventType) => {
    expect(await send(path, { ...call, userId: 'u1' })).toMatchObject({ status: 200, text: '{"success":true}' });
    expect((await kept()).map(({ batch }) => batch.events?.[0]?.event_type)).toEqual([eventType]);
  });

  test('that is bad is refused with the path it wrote, and nothing is recorded', async () => {
    const answer = await send('/v1/track', { event: 'x', userId: 'u', properties: { note: 'x'.repeat(5000) } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      success: false,
      message: 'properties.note: has 5000 characters; at most 4096 are allowed',
    });
    expect(await rejected()).toEqual([]);
  });

  test('is joined to the profile of its anonymous visitor', async () => {
    await send('/v1/page', { anonymousId: DEVICE });
    await send('/analytics/v1/identify', { userId: 'u1', anonymousId: DEVICE, traits: { plan: 'pro' } });
    await send('/v1/track', { userId: 'u1', event: 'x' });
    expect(await profiles()).toEqual([{ plan: 'pro' }]);
    expect(new Set((await kept()).map(({ mpid }) => mpid)).size).toBe(1);
  });

  test('is bound to the time of its receipt where the clock of the sender is wrong', async () => {
    const call = { userId: 'u', event: 'x', timestamp: '1999-01-01T00:00:00Z', sentAt: '1999-01-01T00:00:10Z' };
    await send('/v1/track', call);
    const [one] = await kept();
    expect(one?.batch.timestamp_unixtime_ms).toBe(api.access.clock.nowMs() - 10_000);
  });
});

describe('credentials', () => {
  test('are the key alone, or with its secret', async () => {
    expect((await send('/v1/track', track())).status).toBe(200);
    expect((await api.post('/v1/track', track())).status).toBe(200);
    expect((await api.post('/v1/track', track(), { input: null })).status).toBe(401);
    expect((await api.post('/v1/track', track(), { input: { key: api.input.key, secret: 'no' } })).status).toBe(401);
  });

  test('must be allowed for it', async () => {
    await using other = await openEventsApi(['server']);
    expect((await send('/v1/track', track(), other)).status).toBe(403);
  });
});
