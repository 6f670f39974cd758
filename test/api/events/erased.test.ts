// A batch of an erased person answers 202, is dropped and counted (D-059).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTombstones, runExclusively } from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import { type EventsApi, forgetBatches, openEventsApi } from '../../support/apis/events-api.ts';

const SINGLE = '/v2/events';
const BULK = '/v2/bulkevents';
const batchOf = (name: string, rest: object = {}) => ({
  events: [{ event_type: 'custom_event', data: { event_name: 'seen', custom_event_type: 'other' } }],
  user_identities: { email: `${name}@example.org` },
  user_attributes: { city: name },
  ...rest,
});

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi();
  const { workspaceId } = api;
  const identities = [
    { type: 'email', value: 'gone@example.org' },
    { type: 'customer_id', value: 'gone' },
  ] as const;
  const tombstones = createTombstones(new Secret('the key of all tests'));
  await runExclusively(api.access.store, workspaceId, (tx) =>
    tombstones.erasePeople(tx, { workspaceId, people: [], identities, nowMs: 0 }),
  );
});
beforeEach(() => forgetBatches(api));
afterAll(() => api[Symbol.asyncDispose]());

async function kept(table: 'event_batches' | 'rejected_batches'): Promise<readonly string[]> {
  const rows = await api.access.store.query<{ text: string }>(`SELECT text FROM ${table}`);
  return rows.map(({ text }) => text);
}

describe('a batch of an erased person', () => {
  test('is answered 202, and is not there', async () => {
    expect((await api.post(SINGLE, batchOf('gone'))).status).toBe(202);
    expect(await kept('event_batches')).toEqual([]);
    const profiles = await api.access.store.query(`SELECT 1 FROM profiles WHERE identities LIKE '%gone%'`);
    expect(profiles).toEqual([]);
  });

  test('is the only one of its request that is not kept', async () => {
    expect((await api.post(BULK, [batchOf('a'), batchOf('gone'), batchOf('b')])).status).toBe(202);
    expect(await kept('event_batches')).toHaveLength(2);
    expect(await kept('rejected_batches')).toEqual([]);
  });

  test('changes nothing when it is sent again, like every other', async () => {
    const batch = batchOf('gone', { source_request_id: 'once' });
    for (let time = 0; time < 2; time++) expect((await api.post(SINGLE, batch)).status).toBe(202);
    expect(await kept('event_batches')).toEqual([]);
  });

  test('is recorded as rejected by nobody, whatever is wrong with it', async () => {
    const wrong = { ip: 7, environment: 'nowhere' };
    const batches = [
      batchOf('GONE', wrong),
      batchOf('a', wrong),
      { mpid: 'no', user_identities: { customerid: 'gone' } },
    ];
    expect((await api.post(BULK, batches)).status).toBe(202);
    const [only, ...others] = await kept('rejected_batches');
    expect(only).toContain('a@example.org');
    expect(others).toEqual([]);
  });

  test('is recorded by nobody where a field of it stands twice, whichever value is the erased one', async () => {
    const twice = (fields: string) => `{"user_identities":{${fields}},"events":[]}`;
    const batches = [
      twice('"email":"gone@example.org","email":"a@example.org"'),
      twice('"email":"a@example.org","email":"GONE@example.org"'),
      '{"user_identities":{"customer_id":"gone"},"user_identities":{"customer_id":"a"},"events":[]}',
    ];
    expect((await api.post(BULK, `[${batches.join(',')}]`)).status).toBe(202);
    expect(await kept('rejected_batches')).toEqual([]);
  });

  test('is recorded by nobody where a text of it mentions the erased one', async () => {
    const mention = (text: string) => ({ ip: 7, user_attributes: { note: text } });
    const batches = [mention('Write to gone@example.org.'), mention('{"customer_id":"gone"}'), mention('long gone')];
    expect((await api.post(BULK, batches)).status).toBe(202);
    expect(await kept('rejected_batches')).toEqual([expect.stringContaining('long gone')]);
  });

  test('is not kept without an MPID either where an event or an attribute names the erased one', async () => {
    const changeTo = (identity: string) => ({
      event_type: 'user_identity_change',
      data: { old: { identity_type: 'customer_id', identity: 'a' }, new: { identity_type: 'customer_id', identity } },
    });
    const batches = [
      { events: [], partner_identities: { crm: 'Gone@example.org' } },
      { events: [changeTo('gone')] },
      { events: [changeTo('b')], user_attributes: { note: 'gone' } },
    ];
    for (const batch of batches) expect((await api.post(SINGLE, batch)).status).toBe(202);
    expect(await kept('event_batches')).toEqual([expect.stringContaining('"identity":"b"')]);
  });

  test('does not keep a list from those who see what was rejected, whatever lies beside it', async () => {
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const list = `[${deep}, ${JSON.stringify(batchOf('gone', { ip: 7 }))}, ${JSON.stringify(batchOf('a'))}]`;
    expect((await api.post(BULK, list)).status).toBe(202);
    expect(await kept('event_batches')).toHaveLength(1);
    const errors = [{ path: '', message: expect.any(String) }];
    const answer = await api.get('/rejected-batches');
    expect(answer).toMatchObject({ status: 200, body: { items: [{ batch: null, errors }] } });
  });

  test('is told from others by its sender, who hears of what becomes of it', async () => {
    const sender = {
      workspaceId: api.workspaceId,
      key: 'k',
      isPublic: false,
      channel: 'server_to_server',
      isHistorical: false,
    } as const;
    const sent = [batchOf('gone'), batchOf('a')].map((body) => ({ body, text: JSON.stringify(body) }));
    const { outcomes } = await api.door.accept(sender, sent);
    expect(outcomes).toEqual([{ status: 'erased' }, { status: 'kept', mpid: expect.any(BigInt) }]);
  });
});

describe('an analytics call of an erased person', () => {
  const openCalls = () => openEventsApi(['server', 'write_key']);
  test('is answered as others are, and kept neither as a batch nor as rejected', async () => {
    await using calls = await openCalls();
    const { workspaceId, access } = calls;
    const tombstones = createTombstones(new Secret('the key of all tests'));
    await runExclusively(access.store, workspaceId, (tx) =>
      tombstones.erasePeople(tx, {
        ...{ workspaceId, people: [], nowMs: 0 },
        identities: [
          { type: 'customer_id', value: 'gone' },
          { type: 'other', value: 'gone' },
          { type: 'mobile_number', value: 'gone' },
        ],
      }),
    );
    const good = (userId: string) => ({ type: 'track', userId, event: 'Seen', messageId: userId });
    const bad = (userId: string) => ({ type: 'nothing', userId });
    const rest = [{ anonymousId: 'gone' }, { previousId: 'gone' }, { context: { traits: { phone: 'gone' } } }];
    const batch = [...['gone', 'b'].flatMap((name) => [good(name), bad(name)]), ...rest];
    expect((await calls.post('/analytics/v1/batch', { batch })).status).toBe(200);
    const texts = await access.store.query<{ text: string }>(
      'SELECT text FROM event_batches UNION ALL SELECT text FROM rejected_batches',
    );
    expect(texts.map(({ text }) => text.includes('gone'))).toEqual([false, false]);
  });
});
