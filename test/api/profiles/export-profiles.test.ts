// The way out for profiles: each once, in order of environment and MPID.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { messages, openSyncApi, type SyncApi } from '../../support/apis/sync-api.ts';
import { exported, keep, nobodyIn, recorded } from '../../support/people/kept-people.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
});
beforeEach(() => nobodyIn(api));
afterAll(() => api[Symbol.asyncDispose]());

const people = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({
    who: { customer_id: `${name}-${n}` },
    attributes: { big: '9007199254740993' },
  }));
const profiles = (query = '', client = api.reader) => exported(api, client, `/profiles${query}`);
const mpids = async (query = '', client = api.reader) =>
  (await profiles(query, client)).lines.map(({ mpid }) => BigInt(mpid));

it('has a line a profile: what a look-up answers, without batches and with a cursor', async () => {
  const [mpid] = await keep(api, people(1, 'a'));
  const { status, headers, lines } = await profiles();
  expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const { batches, ...profile } = (await api.admin.get(`/profiles/${mpid}`)).body;
  expect(lines).toEqual([{ cursor: `p1_0_${mpid}`, ...profile }]);
  expect(profile.attributes[0].value).toBe(9007199254740993n);
  expect(batches).toHaveLength(1);
});

it('goes on behind the cursor of any line, production before development, and meets everybody once', async () => {
  const production = await keep(api, people(3, 'a'));
  const development = await keep(api, people(3, 'b'), { environment: 'development' });
  const ascending = (mpids: readonly bigint[]) => mpids.toSorted((one, other) => (one < other ? -1 : 1));
  const all = [...ascending(production), ...ascending(development)];
  const { lines } = await profiles();
  expect(lines.map(({ mpid }) => BigInt(mpid))).toEqual(all);
  for (const [index, { cursor }] of lines.entries())
    expect(await mpids(`?cursor=${cursor}`)).toEqual(all.slice(index + 1));
  expect(await mpids('?limit=2')).toEqual(all.slice(0, 2));
  expect(await mpids('?environment=development')).toEqual(ascending(development));
});

it('keeps to bounds of creation, inclusive', async () => {
  const [first, second] = await keep(api, people(2, 'a'));
  await api.store.execute("UPDATE profiles SET created_on = '2024-06-02T00:00:00Z' WHERE mpid = $1", [first ?? 0n]);
  await api.store.execute("UPDATE profiles SET created_on = '2024-06-03T00:00:00Z' WHERE mpid = $1", [second ?? 0n]);
  expect(await mpids('?startDate=2024-06-02&endDate=2024-06-02')).toEqual([first]);
  expect(await mpids('?startDate=2024-06-02T00:00:00.001Z')).toEqual([second]);
});

it('never meets another workspace, whatever its cursor', async () => {
  await keep(api, people(1, 'a'));
  const theirs = await keep(api, people(1, 'a'), { workspaceId: api.stranger.workspaceId });
  expect(await mpids('?cursor=p1_0_1', api.stranger)).toEqual(theirs);
});

it.each([
  ['cursor=b1_1_1', /^cursor: "b1_1_1" is not a cursor of this export/],
  ['cursor=p1_0_9223372036854775808', /^cursor: /],
  [
    'cursor=p1_1_5&environment=production',
    /^cursor: belongs to an export of development; use it with environment=development/,
  ],
  ['endDate=2024-02-30', /^endDate: "2024-02-30" is not a valid time/],
  ['limit=none', /^limit: /],
])('is refused for %s', async (query, message) => {
  const answer = await api.admin.get(`/profiles?${query}`);
  expect([answer.status, messages(answer)]).toEqual([400, expect.stringMatching(message)]);
});

it('stands in the audit log once, with what was asked for', async () => {
  await keep(api, people(2, 'a'));
  await profiles('?environment=production&limit=1');
  expect(await recorded(api.admin, 'profiles.exported')).toMatchObject([
    { resource: 'profiles', detail: { environment: 'production', limit: 1 } },
  ]);
  expect(await recorded(api.admin, 'profile.read')).toEqual([]);
});
