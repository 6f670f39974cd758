// Event batches over HTTP, sentence by sentence (D-030).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import { type EventsApi, forgetBatches, gzipped, openEventsApi } from '../../support/apis/events-api.ts';
import { readLog } from '../../support/batches/deliver-batches.ts';

const EVENT = { event_type: 'custom_event', data: { custom_event_type: 'navigation', event_name: 'Opened' } };
const BATCH = {
  user_identities: { email: 'a@example.com' },
  events: [EVENT],
  ip: '10.0.0.1',
  environment: 'production',
};
const SINGLE = '/v2/events';
const BULK = '/v2/bulkevents';
const HISTORICAL = '/v2/bulkevents/historical';

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi();
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(() => forgetBatches(api));

const log = () => readLog(api.access.store);
const web = (path = '') => `${path}/v3/JS/${api.input.key}/events`;

describe('one batch', () => {
  test.each([SINGLE, `${SINGLE}/`])('is kept, then answered 202 with an empty body: %s', async (path) => {
    const { status, text, headers } = await api.post(path, BATCH);
    expect([status, text, headers['content-length']]).toEqual([202, '', '0']);
    const [row] = await log();
    expect(JSON.parse(row?.text ?? '')).toMatchObject({ ...BATCH, source_info: { channel: 'server_to_server' } });
  });

  test('may come as gzip', async () => {
    expect(await api.post(SINGLE, gzipped(BATCH), { headers: { 'content-encoding': 'gzip' } })).toMatchObject({
      status: 202,
    });
    expect(await log()).toHaveLength(1);
  });

  test('keeps every digit of its numbers', async () => {
    const text = `{"batch_id":18014398509481985,"user_attributes":{"a":1.50,"b":9223372036854775807},"ip":null}`;
    expect((await api.post(SINGLE, text)).status).toBe(202);
    expect((await log())[0]?.text).toContain('{"batch_id":18014398509481985,');
    expect((await log())[0]?.text).toContain('{"a":1.50,"b":9223372036854775807}');
  });

  test('that is wrong is refused with every path, and nothing is kept', async () => {
    const batch = {
      ...BATCH,
      ip: 'x',
      events: [EVENT, { event_type: 'commerce_event', data: { product_action: {} } }],
    };
    const { status, text, messages } = await api.post(SINGLE, batch);
    expect(status).toBe(400);
    expect(JSON.parse(text).errors[0].code).toBe('BAD_REQUEST');
    expect(messages).toEqual([
      expect.stringMatching(/^events\[1\]\.data\.product_action\.action: is required and must be one of add_to_cart, /),
      expect.stringMatching(/^ip: must be an IPv4 or IPv6 address/),
    ]);
    expect(await log()).toHaveLength(0);
  });

  test.each([
    ['no JSON', '{"a":', /not JSON/],
    ['a list', '[]', /must be an object/],
    ['a field twice', '{"ip":null,"ip":"10.0.0.1"}', /^ip: is given more than once/],
    ['text that cannot be stored', '{"api_key":"\\u0000"}', /^api_key: contains the character U\+0000/],
  ])('is refused where it is %s', async (_what, text, message) => {
    const { status, messages } = await api.post(SINGLE, text);
    expect([status, messages[0]]).toEqual([400, expect.stringMatching(message)]);
  });

  test('whose MPID is unknown is refused where no identity says who it is', async () => {
    const { status, messages } = await api.post(SINGLE, { mpid: '5' });
    expect([status, messages]).toEqual([400, [expect.stringMatching(/^mpid: The MPID 5 does not exist/)]]);
    expect((await api.post(SINGLE, { ...BATCH, mpid: 5 })).status).toBe(202);
    expect(await log()).toHaveLength(1);
  });

  test('of a web key is answered alike whether its MPID is there or not, and recorded where it is not', async () => {
    await api.post(SINGLE, { user_identities: { customer_id: 'one' } });
    const known = String((await log())[0]?.mpid);
    const sent = ['5', known].flatMap((mpid) => [
      { mpid, events: [EVENT] },
      { mpid, user_identities: { customer_id: 'two' }, events: [EVENT] },
    ]);
    for (const batch of sent) expect((await api.post(web(), batch, { input: null })).status).toBe(202);
    const rejected = await api.access.store.query<{ text: string }>('SELECT text FROM rejected_batches ORDER BY id');
    expect(rejected.map(({ text }) => JSON.parse(text).mpid)).toEqual(['5', known]);
    expect(await log()).toHaveLength(3);
  });

  test('whose MPID contradicts its login is refused', async () => {
    await api.post(SINGLE, { user_identities: { customer_id: 'one' } });
    await api.post(SINGLE, { user_identities: { customer_id: 'two' } });
    const mpid = (await log())[0]?.mpid;
    const contradiction = { mpid: String(mpid), user_identities: { customer_id: 'two' } };
    const { status, messages } = await api.post(SINGLE, contradiction);
    expect([status, messages]).toEqual([
      400,
      [expect.stringMatching(/^mpid: The login identity does not belong to the profile/)],
    ]);
    expect(await log()).toHaveLength(2);
  });

  test('without identity, device id and MPID is kept without an MPID', async () => {
    expect((await api.post(SINGLE, { events: [EVENT] })).status).toBe(202);
    expect(await log()).toMatchObject([{ mpid: 0n }]);
  });

  test('of another media type is refused', async () => {
    const answer = await api.post(SINGLE, JSON.stringify(BATCH), { headers: { 'content-type': 'text/plain' } });
    expect(answer.status).toBe(415);
  });

  test('keeps api_key, api_keys and data_plan, which let nobody in', async () => {
    const batch = {
      api_key: api.input.key,
      api_keys: ['x'],
      context: { data_plan: { plan_id: 'p', plan_version: 2 } },
    };
    expect((await api.post(SINGLE, batch, { input: null })).status).toBe(401);
    expect((await api.post(SINGLE, batch)).status).toBe(202);
    expect(JSON.parse((await log())[0]?.text ?? '')).toMatchObject(batch);
  });
});

describe('credentials', () => {
  test.each([SINGLE, BULK, HISTORICAL])('none answer 401, wrong ones 403: %s', async (path) => {
    expect((await api.post(path, '[]', { input: null })).status).toBe(401);
    expect((await api.post(path, '[]', { input: { ...api.input, secret: 'wrong' } })).status).toBe(403);
    expect((await api.post(path, '[]', { input: { key: 'unknown', secret: 'x' } })).status).toBe(403);
  });
});

describe('a bulk request', () => {
  test('keeps all its batches', async () => {
    const { status, text } = await api.post(BULK, [BATCH, { ...BATCH, environment: 'development' }, {}]);
    expect([status, text]).toEqual([202, '']);
    expect((await log()).map(({ environment }) => environment).sort()).toEqual([0, 0, 1]);
  });

  test('keeps the good ones and records each bad one with its reason', async () => {
    const bad = { ...BATCH, ip: 'x' };
    const unknown = { mpid: 5 };
    expect((await api.post(BULK, [bad, BATCH, 7, unknown])).status).toBe(202);
    expect(await log()).toHaveLength(1);
    const { status, body } = await api.get('/rejected-batches');
    const shared = { path: BULK, key: api.input.key, received_on: new Date(api.access.clock.nowMs()).toISOString() };
    expect([status, body]).toMatchObject([
      200,
      {
        items: [
          { ...shared, batch: unknown, errors: [{ path: 'mpid', message: expect.stringContaining('does not exist') }] },
          { ...shared, batch: 7, errors: [{ path: '', message: expect.stringContaining('must be an object') }] },
          { ...shared, batch: bad, errors: [{ path: 'ip', message: expect.stringContaining('IPv4') }] },
        ],
      },
    ]);
  });

  test('with a field given twice in one batch keeps the others and records that one', async () => {
    const repeating = '{"events":[{"data":{"event_name":"a","event_name":"b"}}]}';
    expect((await api.post(BULK, `[${JSON.stringify(BATCH)}, ${repeating}, {}]`)).status).toBe(202);
    expect(await log()).toHaveLength(2);
    const { body } = await api.get('/rejected-batches');
    const errors = [{ path: 'events[0].data.event_name', message: 'is given more than once; give it once' }];
    expect(body).toMatchObject({ items: [{ errors }] });
    const texts = await api.access.store.query('SELECT text FROM rejected_batches');
    expect(texts).toEqual([{ text: repeating }]);
  });

  test('that cannot be recorded keeps nothing: it can be sent again', async () => {
    api.onExecute = (statement) => {
      if (statement.includes('rejected_batches')) throw new AppError('STORE_UNAVAILABLE', 'away');
    };
    expect((await api.post(BULK, [BATCH, 7])).status).toBe(503);
    expect(await log()).toHaveLength(0);
    api.onExecute = () => undefined;
    expect((await api.post(BULK, [BATCH, 7])).status).toBe(202);
    expect(await log()).toHaveLength(1);
  });

  test('is recorded under other ids where another daemon has drawn the same', async () => {
    let left = 2;
    api.onExecute = (statement) => {
      if (statement.includes('INSERT INTO rejected_batches') && left-- > 0) throw new AppError('STORE_UNIQUE', 'there');
    };
    expect((await api.post(BULK, [BATCH, 7])).status).toBe(202);
    expect((await api.get('/rejected-batches')).body).toMatchObject({ items: [{ batch: 7 }] });
  });

  test('is listed with what was sent up to 16 MB a page, and with its reasons beyond', async () => {
    await api.access.store.execute(
      `INSERT INTO rejected_batches (workspace_id, received_on, key, path, id, errors, text)
       SELECT $1, $2, 'k', '/', id, '[]', '"' || repeat('x', 100000) || '"' FROM generate_series(1, 170) AS id`,
      [api.workspaceId, new Date(api.access.clock.nowMs())],
    );
    const { body } = await api.get('/rejected-batches?pageSize=1000');
    const { items } = body as { readonly items: readonly { readonly id: number; readonly batch: unknown }[] };
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 170 }, (_, index) => 170 - index));
    expect(items.map(({ batch }) => batch !== null)).toEqual(items.map((_, index) => index < 168));
  });

  test('takes 100 batches at most', async () => {
    expect((await api.post(BULK, Array(100).fill({}))).status).toBe(202);
    api.access.clock.advance(1000);
    const { status, messages } = await api.post(BULK, Array(101).fill({}));
    expect([status, messages]).toEqual([400, ['has 101 batches; at most 100 are allowed in one request']]);
    expect(await log()).toHaveLength(100);
  });

  test('that is no list is refused', async () => {
    const { status, messages } = await api.post(BULK, BATCH);
    expect([status, messages]).toEqual([400, ['must be a list of event batches']]);
  });

  test('may be empty', async () => {
    expect((await api.post(BULK, [])).status).toBe(202);
  });

  test('of the past marks its batches as historical', async () => {
    await api.post(HISTORICAL, [{}, { source_info: { channel: 'native' } }]);
    expect((await log()).map(({ text }) => JSON.parse(text).source_info)).toEqual([
      { channel: 'server_to_server', is_historical: true },
      { channel: 'native', is_historical: true },
    ]);
  });
});

describe('a web client', () => {
  test.each(['', '/webevents'])('posts a batch with its key alone, as text or JSON, below "%s"', async (prefix) => {
    for (const type of ['text/plain;charset=UTF-8', 'application/json']) {
      const { status } = await api.post(web(prefix), BATCH, { input: null, headers: { 'content-type': type } });
      expect(status).toBe(202);
    }
    const kept = (await log()).map(({ text }) => JSON.parse(text).source_info);
    expect(kept).toEqual([{ channel: 'javascript' }, { channel: 'javascript' }]);
  });

  test('is refused with a key that is not allowed for it', async () => {
    await using other = await openEventsApi(['server']);
    const { status } = await other.post(`/v3/JS/${other.input.key}/events`, BATCH, { input: null });
    expect(status).toBe(403);
  });
});

describe('source_request_id', () => {
  test('answers a duplicate 202 and changes nothing', async () => {
    const batch = { ...BATCH, source_request_id: 'r1' };
    for (const [path, body] of [
      [SINGLE, batch],
      [SINGLE, batch],
      [BULK, [batch, batch]],
    ] as const)
      expect((await api.post(path, body)).status).toBe(202);
    expect(await log()).toHaveLength(1);
  });

  test('of two requests at the same time keeps one, and both are answered 202', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => api.post(SINGLE, { ...BATCH, source_request_id: 'r' })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(await log()).toHaveLength(1);
  });

  test('lets in the correction of a batch that was refused', async () => {
    const id = { source_request_id: 'r' };
    expect((await api.post(SINGLE, { ...BATCH, ...id, ip: 'x' })).status).toBe(400);
    expect((await api.post(SINGLE, { mpid: 5, ...id })).status).toBe(400);
    await api.post(BULK, [{ mpid: 5, ...id }]);
    expect(await log()).toHaveLength(0);
    expect((await api.post(SINGLE, { ...BATCH, ...id })).status).toBe(202);
    expect(await log()).toHaveLength(1);
  });
});

describe('workspaces', () => {
  test('see their own rejected batches only', async () => {
    await api.post(BULK, [{ ip: 'x' }]);
    const other = `/../${Number(api.workspaceId) + 1}/rejected-batches`;
    expect((await api.get(other)).status).toBe(404);
    expect(await api.get('/rejected-batches?pageSize=1&currentPage=2')).toEqual({ status: 200, body: { items: [] } });
    expect(await api.get('/rejected-batches?endDate=2020-01-01')).toEqual({ status: 200, body: { items: [] } });
  });
});
