// Rows of erased people count as `erased`, and nothing of them is kept (D-059).
import { describe, expect, test } from 'vitest';
import { createIdentities, createTombstones, type Identity, runExclusively } from '../../../../src/identity/index.ts';
import { requestRetry } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { always, column, EMAIL, fromColumn } from '../../../support/batches/map-events.ts';
import { INCREMENTAL } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { createRunDriver } from '../../../support/runs/run-driver.ts';
import {
  addPipeline,
  countsOf,
  IDENTITY_KEY,
  readPipeline,
  readRun,
  WORKSPACE,
} from '../../../support/runs/test-engine.ts';

const AT = '2026-01-15T11:00:00.000000Z';
const row = (name: string, city = 'Rome') => [`${name}@example.org`, city, AT];
/** Too long for the limit of attributes. */
const wrong = (name: string) => row(name, 'x'.repeat(5000));

const here = drivenRuns((clock) => createIdentities({ key: IDENTITY_KEY, clock }));
const { attempt } = here;

/** Whoever has the e-mail address is gone, or will not come. */
async function erase(store: Store, ...names: readonly string[]): Promise<void> {
  const identities = names.map((name): Identity => ({ type: 'email', value: `${name}@example.org` }));
  const profiles = await store.query<{ mpid: bigint; identities: string }>('SELECT mpid, identities FROM profiles');
  const mine = profiles.filter((profile) => names.some((name) => profile.identities.includes(`"${name}@`)));
  const people = mine.map(({ mpid }) => ({ environment: 'production' as const, mpid }));
  const tombstones = createTombstones(IDENTITY_KEY);
  await runExclusively(store, WORKSPACE, (tx) =>
    tombstones.erasePeople(tx, { workspaceId: WORKSPACE, people, identities, nowMs: here.clock.nowMs() }),
  );
}

async function holds(store: Store, table: string, name: string): Promise<boolean> {
  return (await store.query(`SELECT 1 FROM ${table} t WHERE t::text LIKE $1`, [`%${name}@%`])).length > 0;
}

describe('a row of an erased person', () => {
  test.each([
    ['incremental', INCREMENTAL],
    ['full', { type: 'full' }],
  ] as const)('counts as erased in the next %s run, and nothing of it is kept', async (_, syncMode) => {
    await addPipeline(here.store, { syncMode });
    here.warehouse.rows = [row('a'), row('b'), row('c')];
    expect(countsOf(await attempt())).toEqual([3, 3, 0, 0, 0]);
    await erase(here.store, 'b');
    here.clock.advance(3_600_000);
    here.warehouse.rows = ['a', 'b', 'c', 'd'].map((name) => [
      `${name}@example.org`,
      'Paris',
      '2026-01-15T12:30:00.000000Z',
    ]);
    expect(countsOf(await attempt())).toEqual([4, 3, 0, 0, 1]);
    for (const table of ['profiles', 'failed_records']) expect(await holds(here.store, table, 'b')).toBe(false);
  });

  test('is not counted among rows with a time to come', async () => {
    const iterator = { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' } as const;
    await addPipeline(here.store, { syncMode: { type: 'full', iterator } });
    await erase(here.store, 'a');
    here.warehouse.rows = ['a', 'b'].map((name) => [`${name}@example.org`, 'Rome', '9999-12-31T00:00:00.000000Z']);
    const done = await attempt();
    expect(countsOf(done)).toEqual([2, 1, 0, 0, 1]);
    expect(done.warnings).toEqual([{ message: expect.stringMatching(/^1 rows have a "at" in the future\./) }]);
  });

  test('counts as erased where it could not be mapped either: no failed record names the person', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    await erase(here.store, 'a');
    here.warehouse.rows = [wrong('a'), wrong('b'), wrong('a')];
    expect(countsOf(await attempt())).toEqual([3, 0, 1, 0, 2]);
    expect(await holds(here.store, 'failed_records', 'a')).toBe(false);
    expect(await holds(here.store, 'failed_records', 'b')).toBe(true);
  });

  test('counts once, however often the run is killed and resumed', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    await erase(here.store, 'a', 'd');
    here.warehouse.rows = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => row(name));
    const killed = await attempt(here.killAt(1));
    expect(countsOf(killed)).toEqual([2, 1, 0, 0, 1]);
    expect(countsOf(await attempt(here.killAt(2), killed.id))).toEqual([4, 2, 0, 0, 2]);
    expect(countsOf(await attempt(undefined, killed.id))).toEqual([6, 4, 0, 0, 2]);
  });

  test('of whom half a run was kept before the erasure does not come back by the rest of it', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [row('a'), row('b'), row('a', 'Paris'), row('c')];
    const killed = await attempt(here.killAt(1));
    expect(countsOf(killed)).toEqual([2, 2, 0, 0, 0]);
    await erase(here.store, 'a');
    expect(countsOf(await attempt(undefined, killed.id))).toEqual([4, 3, 0, 0, 1]);
    expect(await holds(here.store, 'profiles', 'a')).toBe(false);
  });

  test('counts as erased when its failed record is retried', async () => {
    await addWorkspace(here.store, 1n);
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [wrong('a'), wrong('b')];
    const failed = await attempt();
    await erase(here.store, 'a');
    await here.store.execute(
      `INSERT INTO workspace_settings (workspace_id, settings, version) VALUES (1, '{"limits":{"value_characters":9999}}', 1)`,
    );
    const caller = { workspaceId: WORKSPACE, actor: 'somebody' } as Parameters<typeof requestRetry>[1];
    const request = { pipelineId: 'people', runId: failed.id, ids: undefined };
    const retry = await requestRetry(here.driver.deps, caller, request);
    expect(countsOf(await attempt(undefined, retry))).toEqual([2, 1, 0, 0, 1]);
    expect(await holds(here.store, 'profiles', 'a')).toBe(false);
  });

  test('fails no run whose rows are all of erased people', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    await erase(here.store, 'a');
    here.warehouse.rows = [
      ...Array.from({ length: 1000 }, () => row('a')),
      ...Array.from({ length: 1001 }, () => wrong('b')),
    ];
    const identities = createIdentities({ key: IDENTITY_KEY, clock: here.clock });
    const driver = await createRunDriver({ ...here, identities, chunkRows: 100 });
    const id = await here.request();
    await driver.attempt(await here.claim(id));
    const run = await readRun(here.store, id);
    expect(run).toMatchObject({ status: 'success', erasedRecords: 1000n, failedRecords: 1001n });
  });

  test('makes no event, and all rows of its batch count', async () => {
    const at = column('at', 'timestamp_tz');
    here.warehouse.columns = [column('email'), column('label'), at];
    const mappings = [always('breadcrumb', 'events.event_type'), EMAIL, fromColumn('label', 'events.data.label')];
    await addPipeline(here.store, { syncMode: INCREMENTAL, mappings });
    await erase(here.store, 'a');
    here.warehouse.rows = [row('a', 'one'), row('a', 'two'), row('b', 'three'), row('a', 'four')];
    expect(countsOf(await attempt())).toEqual([4, 1, 0, 0, 3]);
    expect(await here.store.query('SELECT 1 FROM event_batches')).toHaveLength(1);
    expect((await readPipeline(here.store)).id).toBe('people');
  });
});
