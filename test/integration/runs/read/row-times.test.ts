// Times that rows give: those to come do not outlast what is said later, those that no date holds fail their row alone.
import { expect, test } from 'vitest';
import { createIdentities, type ProfileAttribute, readProfile } from '../../../../src/identity/index.ts';
import { AppError, formatMicros } from '../../../../src/kernel/index.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, countsOf, IDENTITY_KEY, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns((clock) => createIdentities({ key: IDENTITY_KEY, clock }));

const FULL = {
  syncMode: { type: 'full', iterator: { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' } },
} as const;
const NEVER = '9999-12-31T00:00:00.000000Z';
const PAST = '2026-01-01T00:00:00.000000Z';

/** City of each person with the time it was set at. */
/** Cities with their times, by the e-mail of the person. */
async function cities(): Promise<readonly string[]> {
  const rows = await here.store.query<{ mpid: bigint }>('SELECT mpid FROM profiles ORDER BY mpid');
  const profiles = await Promise.all(
    rows.map(({ mpid }) => readProfile(here.store, { workspaceId: WORKSPACE, environment: 'production' }, mpid)),
  );
  const shown = ({ value, setAt }: ProfileAttribute) => `${value} ${formatMicros(setAt)}`;
  const emailOf = (profile: (typeof profiles)[number]) => profile?.identities[0]?.value ?? '';
  profiles.sort((one, other) => emailOf(one).localeCompare(emailOf(other)));
  return profiles.flatMap((profile) => profile?.attributes.map(shown) ?? []);
}

test('a value with a time to come is replaced by the next, and the run counts such rows over its attempts', async () => {
  await addPipeline(here.store, FULL);
  const rows = (city: string) => [1, 2, 3].map((n) => [`p${n}@example.org`, city, n === 2 ? PAST : NEVER]);
  here.warehouse.rows = rows('Rome');
  const first = await here.attempt(here.failAt(1, new AppError('CANCELLED', 'The worker hands it back.')));
  expect(first.status).toBe('queued');
  const start = first.startedOn?.toISOString().replace('Z', '000Z') ?? '';
  here.clock.advance(60_000);

  const done = await here.attempt(undefined, first.id);

  expect(done.warnings).toEqual([{ message: expect.stringMatching(/^2 rows have a "at" in the future\./) }]);
  expect(await cities()).toEqual([`"Rome" ${start}`, `"Rome" ${PAST}`, `"Rome" ${start}`]);

  here.clock.advance(60_000);
  here.warehouse.rows = rows('Oslo').map(([email, city]) => [email ?? '', city ?? '', '2026-01-15T12:01:30.000000Z']);
  const next = await here.attempt();

  expect(next.warnings).toEqual([]);
  expect(await cities()).toEqual(Array(3).fill('"Oslo" 2026-01-15T12:01:30.000000Z'));
});

test('a row whose iterator is no time fails with its reason, and its neighbours are kept', async () => {
  await addPipeline(here.store, FULL);
  here.warehouse.rows = [
    'infinity',
    PAST,
    '-infinity',
    '+010000-01-01T00:00:00.000000Z',
    '0001-01-01T00:00:00.000000Z',
  ].map((at, n) => [`p${n}@example.org`, `City ${n}`, at]);

  const done = await here.attempt();

  expect([done.status, countsOf(done)]).toEqual(['success', [5, 2, 3, 0, 0]]);
  const failed = await here.store.query('SELECT field, value, rule FROM failed_records ORDER BY id');
  expect(failed).toEqual(
    ['infinity', '-infinity', '+010000-01-01T00:00:00.000000Z'].map((value) => {
      return { field: 'at', value, rule: 'time_out_of_range' };
    }),
  );
  expect(await cities()).toEqual([`"City 1" ${PAST}`, '"City 4" 0001-01-01T00:00:00.000000Z']);
});
