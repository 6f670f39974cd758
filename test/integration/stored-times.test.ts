// An older version kept times that no date holds: the readers of one profile go on, and so does everybody else's.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_SETTINGS, settingsFromWire } from '../../src/access/settings/settings.ts';
import { fileEntries } from '../../src/dsr/result/file-entries.ts';
import { resolveSubject } from '../../src/dsr/work/resolve-subject.ts';
import { exportProfiles } from '../../src/events/export/export-profiles.ts';
import { profileAnswer } from '../../src/events/profiles/profile-answer.ts';
import { readProfile } from '../../src/identity/index.ts';
import { systemClock } from '../../src/kernel/index.ts';
import { TEST_IDENTITY_KEY } from '../support/apis/dsr-work.ts';
import { openTestGroups, type TestGroups, WORKSPACE } from '../support/people/groups.ts';

const LEAST = '-9223372036854775808000';
const MOST = '9223372036854775807000000';
const FIRST = '0001-01-01T00:00:00.000000Z';
const LAST = '9999-12-31T23:59:59.999999Z';

let groups: TestGroups;
let mpids: readonly bigint[];
beforeEach(async () => {
  groups = await openTestGroups();
  const say = (customerId: string, at: bigint) => groups.say(customerId, { company: '"acme"', plan: '"paid"' }, { at });
  mpids = [await say('c-1', 1n), await say('c-2', 2_000_000n), await say('c-3', 3n)];
  await spoil(mpids[0], `{"":${LEAST}}`);
  await spoil(mpids[2], `{"":5,"company":${MOST}}`);
});
afterEach(() => groups[Symbol.asyncDispose]());

async function spoil(mpid: bigint | undefined, times: string): Promise<void> {
  const statement = 'UPDATE profiles SET attribute_times = $3 WHERE workspace_id = $1 AND mpid = $2';
  await groups.deps.store.execute(statement, [WORKSPACE, mpid ?? 0n, times]);
}

const production = { workspaceId: WORKSPACE, environment: 'production' } as const;

test('a profile shows the nearest time that a date holds', async () => {
  const profile = await readProfile(groups.deps.store, production, mpids[0] ?? 0n);
  expect(profile && profileAnswer(profile).attributes).toEqual([
    { name: 'company', value: 'acme', set_on: FIRST },
    { name: 'plan', value: 'paid', set_on: FIRST },
  ]);
});

test('the export of profiles has all of them', async () => {
  const caller = { workspaceId: WORKSPACE, actor: 'tester' } as Parameters<typeof exportProfiles>[1];
  const { lines } = await exportProfiles(groups.deps, caller, { environment: 'production' });
  let text = '';
  for await (const line of lines) text += line;
  const times = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { attributes: { set_on: string }[] }).attributes.map(({ set_on }) => set_on));
  // the order of an export is that of the MPIDs, which say nothing
  expect(times.toSorted()).toEqual([
    [FIRST, FIRST],
    ['1970-01-01T00:00:02.000000Z', '1970-01-01T00:00:02.000000Z'],
    [LAST, '1970-01-01T00:00:00.000005Z'],
  ]);
});

test('the view of attributes has all of them, with times that every client can read', async () => {
  const rows = await groups.deps.store.query<{ readonly on: string }>(
    `SELECT to_char(set_on AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS on
     FROM penstock_v1_profile_attributes WHERE workspace_id = $1 AND name = 'company' ORDER BY set_on`,
    [WORKSPACE],
  );
  expect(rows.map(({ on }) => on)).toEqual([FIRST, '1970-01-01T00:00:02.000000Z', LAST]);
});

test('a run of the groups takes all of them, and the latest of an attribute is still that of the newest time', async () => {
  await groups.define({
    attributes: [
      { id: 'company', type: 'latest' },
      { id: 'plan', type: 'latest' },
    ],
  });
  await groups.say('c-2', { plan: '"free"' }, { at: 4_000_000n });
  expect((await groups.run()).status).toBe('success');
  for (const mpid of mpids) expect(await groups.inherited(mpid)).toEqual({ company: '"acme"', plan: '"free"' });
});

test('the file of an access request holds the profile', async () => {
  const people = mpids.map((mpid) => ({ environment: 'production', mpid }) as const);
  let text = '';
  for await (const entry of fileEntries({ store: groups.deps.store, workspaceId: WORKSPACE, people }))
    for await (const piece of entry.text) text += piece;
  expect(text.trim().split('\n')).toHaveLength(3);
});

test('a request that several profiles answer is resolved', async () => {
  const { store } = groups.deps;
  const request = { workspaceId: WORKSPACE, version: 1 as const };
  const identity = { name: 'customer_id', type: 'customer_id', value: 'c-1' } as const;
  const found = await resolveSubject(store, {
    ...{ request, subject: { identities: [identity], mpids }, identityKey: TEST_IDENTITY_KEY },
    ...{ settings: settingsFromWire(DEFAULT_SETTINGS), clock: systemClock },
  });
  expect(found.map(({ mpid }) => mpid)).toEqual(mpids);
});
