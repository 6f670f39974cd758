// Profiles for support and operators: one by its MPID, or those that hold an identity; who looked stands in the audit log.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messages, openSyncApi, type SyncApi, somePipeline } from '../../support/apis/sync-api.ts';
import { keep, nobodyIn, recorded } from '../../support/people/kept-people.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
beforeEach(() => nobodyIn(api));
afterAll(() => api[Symbol.asyncDispose]());

const actorOf = async () => (await recorded(api.admin, 'profile.read')).map(({ actor }) => actor);

describe('a profile by its MPID', () => {
  it('is answered with identities, attributes and their times, consent and its newest batches', async () => {
    await somePipeline(api);
    const [pipeline] = await api.store.query<{ number: bigint }>('SELECT number FROM pipelines');
    const who = { customer_id: 'c-1', email: 'Ann@example.com' };
    const consent = '{"gdpr":{"ads":{"consented":true,"timestamp_unixtime_ms":1}}}';
    const attributes = { age: '9007199254740993', tags: '["a","b"]' };
    const [mpid] = await keep(api, [{ who, text: '{"n":1}', attributes, setAt: 1_700_000_000_000_001n, consent }]);
    api.clock.set('2024-06-02T00:00:00.000Z');
    await keep(api, [
      {
        who,
        text: '{"n":2}',
        attributes: { plan: '"team"' },
        setAt: 1_700_000_000_000_002n,
        source: { kind: 'input', key: 'k' },
      },
    ]);
    api.clock.set('2024-06-03T00:00:00.000Z');
    await keep(api, [{ who, text: '{"n":3}', source: { kind: 'pipeline', number: pipeline?.number ?? 0n } }]);

    const { status, body } = await api.reader.get(`/profiles/${mpid}?batches=2`);

    expect(status).toBe(200);
    expect(body).toEqual({
      mpid: String(mpid),
      environment: 'production',
      created_on: expect.stringMatching(/Z$/),
      source_mpid: null,
      holds_login: true,
      identities: [
        { identity_type: 'email', identity: 'Ann@example.com' },
        { identity_type: 'customer_id', identity: 'c-1' },
      ],
      attributes: [
        { name: 'age', value: 9007199254740993n, set_on: '2023-11-14T22:13:20.000001Z' },
        { name: 'tags', value: ['a', 'b'], set_on: '2023-11-14T22:13:20.000001Z' },
        { name: 'plan', value: 'team', set_on: '2023-11-14T22:13:20.000002Z' },
      ],
      consent_state: { gdpr: { ads: { consented: true, timestamp_unixtime_ms: 1 } } },
      batches: [
        {
          ...{ received_on: '2024-06-03T00:00:00.000Z', pipeline_id: 'purchases-to-profiles', input_key: null },
          batch: { mpid, batch_id: expect.anything(), n: 3 },
        },
        {
          ...{ received_on: '2024-06-02T00:00:00.000Z', pipeline_id: null, input_key: 'k' },
          batch: { mpid, batch_id: expect.anything(), n: 2 },
        },
      ],
    });
  });

  it('has ten batches unless told otherwise, and none where none are wanted', async () => {
    const [mpid] = await keep(
      api,
      Array.from({ length: 12 }, () => ({ who: { customer_id: 'c-1' } })),
    );
    expect((await api.admin.get(`/profiles/${mpid}`)).body.batches).toHaveLength(10);
    expect((await api.admin.get(`/profiles/${mpid}?batches=100`)).body.batches).toHaveLength(12);
    expect((await api.admin.get(`/profiles/${mpid}?batches=0`)).body.batches).toEqual([]);
    expect(messages(await api.admin.get(`/profiles/${mpid}?batches=101`))).toMatch(/^batches: .*100/);
  });

  it('is found in either environment, and with one named in no other', async () => {
    const [mpid] = await keep(api, [{ who: { customer_id: 'c-1' } }], { environment: 'development' });
    expect((await api.admin.get(`/profiles/${mpid}`)).body.environment).toBe('development');
    expect((await api.admin.get(`/profiles/${mpid}?environment=development`)).status).toBe(200);
    const elsewhere = await api.admin.get(`/profiles/${mpid}?environment=production`);
    expect([elsewhere.status, messages(elsewhere)]).toEqual([
      404,
      `There is no profile ${mpid} in production in this workspace.`,
    ]);
    expect(messages(await api.admin.get(`/profiles/${mpid}?environment=staging`))).toMatch(
      /^environment: must be one of production, development/,
    );
  });

  it('is not found in another workspace, nor where nobody has the MPID', async () => {
    const [mpid] = await keep(api, [{ who: { customer_id: 'c-1' } }]);
    expect((await api.stranger.get(`/profiles/${mpid}`)).status).toBe(404);
    expect((await api.admin.get('/profiles/9223372036854775807')).status).toBe(404);
  });

  it.each(['ann', '9223372036854775808', '1.5'])('is refused for %s, which is no MPID', async (mpid) => {
    expect((await api.admin.get(`/profiles/${mpid}`)).status).toBe(400);
  });

  it('stands in the audit log with who looked, found or not', async () => {
    const [mpid] = await keep(api, [{ who: { customer_id: 'c-1' } }]);
    await api.reader.get(`/profiles/${mpid}`);
    await api.admin.get('/profiles/5');
    const entries = await recorded(api.admin, 'profile.read');
    expect(entries).toMatchObject([
      { resource: 'profile/5', detail: { found: false } },
      { resource: `profile/${mpid}`, detail: { environment: 'production' } },
    ]);
    expect(new Set(await actorOf()).size).toBe(2);
    expect((await api.stranger.get('/audit-log?action=profile.read')).body.items).toEqual([]);
    const about = await api.admin.get(`/audit-log?resource=profile/${mpid}`);
    expect(about.body.items).toEqual([entries[1]]);
    const by = await api.admin.get(`/audit-log?actor=${entries[0]?.actor}&action=profile.read`);
    expect(by.body.items).toEqual([entries[0]]);
  });
});

describe('profiles by an identity', () => {
  const device = 'f0e1d2c3-0000-4000-8000-000000000001';

  it('are all that hold it, its owner first, a page at a time', async () => {
    const holders = ['c-1', 'c-2', 'c-3'].map((customer_id) => ({ who: { customer_id, mp_deviceid: device } }));
    const mpids = [];
    for (const holder of holders) mpids.push(...(await keep(api, [holder])));
    const find = async (query: string) => {
      const { body } = await api.reader.get(`/profiles?identity_type=mp_deviceid&identity=${device}${query}`);
      return body.items.map(({ mpid }: { mpid: string }) => BigInt(mpid));
    };
    expect(await find('')).toEqual(mpids);
    expect(await find('&pageSize=2')).toEqual(mpids.slice(0, 2));
    expect(await find('&pageSize=2&currentPage=2')).toEqual(mpids.slice(2));
  });

  it('are matched as they are when people are resolved: e-mail in any case, other spellings of a type', async () => {
    const [mpid] = await keep(api, [{ who: { customer_id: 'C-1', email: 'Ann@Example.com' } }]);
    for (const query of ['identity_type=email&identity=%20ANN@example.COM', 'identity_type=customerid&identity=C-1']) {
      const { body } = await api.admin.get(`/profiles?${query}`);
      expect(body.items).toMatchObject([
        { mpid: String(mpid), identities: [{ identity: 'Ann@Example.com' }, { identity: 'C-1' }] },
      ]);
      expect(body.items[0]).not.toHaveProperty('batches');
    }
    expect((await api.admin.get('/profiles?identity_type=customer_id&identity=c-1')).body).toEqual({ items: [] });
  });

  it('are those of production unless development is named, and never of another workspace', async () => {
    const who = { customer_id: 'c-1' };
    const [production] = await keep(api, [{ who }]);
    const [development] = await keep(api, [{ who }], { environment: 'development' });
    const find = async (query: string, client = api.admin) => {
      const { body } = await client.get(`/profiles?identity_type=customer_id&identity=c-1${query}`);
      return body.items.map(({ mpid }: { mpid: string }) => BigInt(mpid));
    };
    expect(await find('')).toEqual([production]);
    expect(await find('&environment=production')).toEqual([production]);
    expect(await find('&environment=development')).toEqual([development]);
    expect(await find('', api.stranger)).toEqual([]);
  });

  it.each([
    ['identity_type=mail&identity=a', /^identity_type: must be one of customer_id, .*email.*, is "mail"/],
    ['identity=a', /^identity_type: is required and must be one of customer_id/],
    ['identity_type=email', /^identity: is required/],
    ['identity_type=email&identity=%20', /^identity: is empty/],
    ['identity_type=email&identity=a&pageSize=0', /^pageSize: /],
  ])('are refused for %s', async (query, message) => {
    const answer = await api.admin.get(`/profiles?${query}`);
    expect(answer.status).toBe(400);
    expect(messages(answer)).toMatch(message);
  });

  it('stand in the audit log one by one, and so does a search that finds nobody, without the value that was looked for', async () => {
    const [mpid] = await keep(api, [{ who: { email: 'ann@example.com' } }]);
    await api.admin.get('/profiles?identity_type=email&identity=ann@example.com');
    await api.admin.get('/profiles?identity_type=email&identity=ben@example.com');
    const entries = await recorded(api.admin, 'profile.read');
    expect(entries).toMatchObject([
      { resource: 'profiles', detail: { environment: 'production', identity_type: 'email', found: false } },
      { resource: `profile/${mpid}`, detail: { environment: 'production', identity_type: 'email' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('@example.com');
  });
});
