// Decisions of the engine about runs that write MPIDs back; duties of every warehouse are in test/conformance.
import { expect, test } from 'vitest';
import { createTombstones, runExclusively } from '../../../../src/identity/index.ts';
import { AppError, workspaceId } from '../../../../src/kernel/index.ts';
import { queueErasedMpids, requestRetry } from '../../../../src/runs/index.ts';
import type { RunsDeps } from '../../../../src/runs/runs-deps.ts';
import { dropLeftovers, stagingName } from '../../../../src/runs/write-back/staging.ts';
import type { Session } from '../../../../src/warehouse/index.ts';
import { fixtureOf } from '../../../conformance/fleet.ts';
import { type PersonRow, peopleOf, peopleTable, staged } from '../../../conformance/writing-back.ts';
import { until } from '../../../support/clocks/until.ts';
import { countsOf, IDENTITY_KEY, readRun } from '../../../support/runs/test-engine.ts';
import { openWrittenBack, type WrittenBack } from '../../../support/runs/written-back.ts';

const fixture = fixtureOf('DuckDB');
const PEOPLE: readonly PersonRow[] = [
  ['ann', 'a@x.org', null, 'one', 1],
  ['bob', null, 7n, 'two', 2],
  [null, null, null, 'nobody', 3],
];
const TABLE = peopleTable(fixture, PEOPLE);

test.each([
  ['SELECT customer_id, upper(email) AS email, MPID FROM people', 'email'],
  ['SELECT customer_id, note, MPID FROM people', 'note'],
  ['SELECT * FROM people', '*'],
  ['SELECT customer_id, MPID FROM people;', 'semicolon'],
])('%s faults its model, and the table stays as it is', async (sqlQuery, named) => {
  await using here = await openWrittenBack(fixture, TABLE);
  const run = await here.run(await here.pipeline({ sqlQuery }), 'failed');
  expect(run.errors).toEqual([{ message: expect.stringContaining(named) }]);
  expect(await here.store.query('SELECT fault IS NOT NULL AS faulted FROM data_models')).toEqual([{ faulted: true }]);
  expect(await peopleOf(fixture, here.warehouse)).toEqual(PEOPLE);
});

test('a file that the connection may not write faults the connection', async () => {
  await using here = await openWrittenBack(fixture, TABLE);
  const run = await here.run(await here.pipeline({ config: { database: here.warehouse.config.database } }), 'failed');
  expect(run.errors).toEqual([{ message: expect.stringContaining('config.read_only: false') }]);
  expect(await here.store.query('SELECT fault IS NOT NULL AS faulted FROM connections')).toEqual([{ faulted: true }]);
});

test('a connector that cannot write back faults the connection, without a session', async () => {
  const { connector } = fixture;
  let sessions = 0;
  const unable = {
    ...connector,
    capabilities: { ...connector.capabilities, writeBack: false },
    open: (...opening: Parameters<typeof connector.open>) => {
      sessions++;
      return connector.open(...opening);
    },
  };
  await using here = await openWrittenBack({ ...fixture, connector: unable }, TABLE);
  const run = await here.run(await here.pipeline(), 'failed');
  expect(run.errors).toEqual([{ message: expect.stringContaining('cannot write MPIDs back') }]);
  expect(await here.store.query('SELECT fault IS NOT NULL AS faulted FROM connections')).toEqual([{ faulted: true }]);
  expect(sessions).toBe(0);
});

test.each([
  ['without a feed', { partnerFeedId: undefined }, undefined],
  ['without the MPID in its model', {}, 'SELECT customer_id, email FROM people'],
])('a pipeline %s writes nothing back', async (_, kept, sqlQuery) => {
  await using here = await openWrittenBack(fixture, peopleTable(fixture, [['ann', null, null, null, 1]]));
  const spec = { kept: kept as object, ...(sqlQuery === undefined ? {} : { sqlQuery }) };
  expect(await here.run(await here.pipeline(spec))).toMatchObject({ writtenRecords: null, conflictingRecords: null });
  expect(await peopleOf(fixture, here.warehouse)).toEqual([['ann', null, null, null, 1]]);
});

test('a row of nobody fails, and is read again by the next run instead of being retried', async () => {
  await using here = await openWrittenBack(fixture, TABLE);
  const pipeline = await here.pipeline();
  const run = await here.run(pipeline);
  expect(countsOf(run)).toEqual([3, 2, 1, 0, 0]);
  const caller = { workspaceId: here.workspace, actor: 'tester' } as Parameters<typeof requestRetry>[1];
  const jobs = { enqueue: async () => undefined } as unknown as Parameters<typeof requestRetry>[0]['jobs'];
  const retry = requestRetry({ ...here, jobs }, caller, { pipelineId: pipeline.id, runId: run.id, ids: undefined });
  await expect(retry).rejects.toThrow('to read all rows again');
});

test.each([
  ['HUGEINT', '99999999999999999999999999'],
  ['DECIMAL(38, 4)', '7.5'],
])('what is no MPID in a column of %s stays, is a failed row, and a conflict of its key', async (type, other) => {
  const twins: readonly PersonRow[] = [
    ['ann', 'a@x.org', null, null, 1],
    ['ann', 'a@x.org', null, null, 2],
  ];
  const wide = [...peopleTable(fixture, twins, type), `UPDATE people SET MPID = ${other} WHERE n = 2`];
  await using here = await openWrittenBack(fixture, wide);
  const run = await here.run(await here.pipeline());
  expect(countsOf(run)).toEqual([2, 1, 1, 0, 0]);
  expect(run).toMatchObject({ writtenRecords: 1n, conflictingRecords: 1n });
  expect(await here.store.query('SELECT reason, found_mpid FROM write_back_conflicts')).toEqual([
    { reason: 'changed', found_mpid: null },
  ]);
  const kept = await here.store.query<{ rule: string }>('SELECT rule FROM failed_records');
  expect(kept).toEqual([{ rule: 'mpid_invalid' }]);
});

test('two people whose keys their column takes for equal get an MPID each, and keep it', async () => {
  const twins: readonly PersonRow[] = [
    ['Ann', 'a@x.org', null, null, 1],
    ['ann', 'b@x.org', null, null, 2],
  ];
  const folding = peopleTable(fixture, twins).map((text) =>
    text.replace('customer_id VARCHAR', 'customer_id VARCHAR COLLATE NOCASE'),
  );
  await using here = await openWrittenBack(fixture, folding);
  const pipeline = await here.pipeline({ kept: { rowKey: ['customer_id'] } });
  for (const writtenRecords of [2n, 0n]) {
    expect(await here.run(pipeline)).toMatchObject({ writtenRecords, conflictingRecords: 0n });
    const known = await here.resolve(twins.map(([customer, email]) => [customer, email]));
    expect((await peopleOf(fixture, here.warehouse)).map(([, , mpid]) => mpid)).toEqual(known);
    expect(new Set(known).size).toBe(2);
  }
});

test('two pipelines that write the same table at once give each row its one MPID', async () => {
  const many = Array.from({ length: 200 }, (_, n): PersonRow => [`c${n}`, `p${n}@x.org`, null, null, n]);
  await using here = await openWrittenBack(fixture, peopleTable(fixture, many), { settings: { chunkRows: 50 } });
  const pipelines = [await here.pipeline(), await here.pipeline({ id: 'people-too' })];
  const runs = await Promise.all(pipelines.map((pipeline) => here.run(pipeline, 'success', 'retrying')));
  // who lost the race for the file's rows begins again, and finds them written
  here.clock.advance(3_600_000);
  await here.poll();
  for (const { id } of runs) await until(async () => (await readRun(here.store, id)).status === 'success');
  const known = await here.resolve(many.map(([customer, email]) => [customer, email]));
  expect((await peopleOf(fixture, here.warehouse)).map(([, , mpid]) => mpid)).toEqual(known);
  expect(await here.store.query('SELECT count(*) AS n FROM profiles')).toEqual([{ n: 200n }]);
  for (const { id } of runs) expect(await readRun(here.store, id)).toMatchObject({ conflictingRecords: 0n });
});

test('an attempt that fails begins again with the first row, and its counts with 0', async () => {
  let failures = 0;
  await using here = await openWrittenBack(fixture, TABLE, {
    async interfere() {
      failures += 1;
      if (failures === 1) throw new AppError('WAREHOUSE_SESSION_LOST', 'It was a bad moment.');
    },
  });
  const pipeline = await here.pipeline();
  const first = await here.run(pipeline, 'retrying');
  expect(countsOf(first)).toEqual([3, 2, 1, 0, 0]);
  here.clock.advance(3_600_000);
  await here.poll();
  await until(async () => (await readRun(here.store, first.id)).status === 'success');
  const run = await readRun(here.store, first.id);
  expect(countsOf(run)).toEqual([3, 2, 1, 0, 0]);
  expect(run).toMatchObject({ writtenRecords: 2n, conflictingRecords: 0n });
  expect(await here.store.query('SELECT count(*) AS n FROM failed_records')).toEqual([{ n: 1n }]);
});

test('a worker whose run was cancelled while it resolved writes nothing', async () => {
  await using here = await openWrittenBack(fixture, TABLE, {
    async interfere() {
      await here.store.execute("UPDATE pipeline_runs SET status = 'stopped', ended_on = $1", [new Date(0)]);
    },
  });
  await here.run(await here.pipeline(), 'stopped');
  await until(async () => (await here.warehouse.connections()) === 0);
  expect(await peopleOf(fixture, here.warehouse)).toEqual(PEOPLE);
});

test('staging goes whose run is over, or goes on under another fence, and no other', async () => {
  await using here = await openWrittenBack(fixture, TABLE);
  const deps = { store: here.store, ledgerKey: IDENTITY_KEY } as unknown as RunsDeps;
  const other = { workspaceId: workspaceId(99n), runId: 1n, fence: 3 };
  const run = await here.run(await here.pipeline());
  await here.store.execute("UPDATE pipeline_runs SET status = 'running', fence = 3, ended_on = NULL");
  const nameOf = (runId: bigint, fence: number) => stagingName(deps, { workspaceId: here.workspace, runId, fence });
  const names = [nameOf(run.id, 3), nameOf(run.id, 2), nameOf(run.id + 1n, 3)];
  const dropped: string[] = [];
  const session = {
    writeBack: {
      listStaging: async (prefix: string) => names.filter((name) => name.startsWith(prefix)),
      dropStaging: async (dead: readonly string[]) => void dropped.push(...dead),
    },
  } as unknown as Session;
  const { signal } = new AbortController();
  await dropLeftovers(deps, { workspaceId: here.workspace, session, signal });
  expect(dropped).toEqual(names.slice(1));
  expect(names.every((name) => /^[a-z0-9_]{1,63}$/.test(name))).toBe(true);
  expect(stagingName(deps, other).slice(0, 22)).not.toBe(names[0]?.slice(0, 22));
});

test('a row of somebody who was erased counts as that, and no MPID is written into it', async () => {
  await using here = await openWrittenBack(
    fixture,
    peopleTable(fixture, [
      ['ann', 'a@x.org', null, null, 1],
      ['bob', null, null, null, 2],
    ]),
  );
  const identities = [{ type: 'email', value: 'a@x.org' }] as const;
  const erasure = { workspaceId: here.workspace, people: [], identities, nowMs: 0 };
  await runExclusively(here.store, here.workspace, (tx) => createTombstones(IDENTITY_KEY).erasePeople(tx, erasure));
  expect(countsOf(await here.run(await here.pipeline()))).toEqual([2, 1, 0, 0, 1]);
  const mpids = (await peopleOf(fixture, here.warehouse)).map(([, , mpid]) => mpid);
  expect(mpids).toEqual([null, expect.any(BigInt)]);
});

test('an update that a killed worker left under way writes an erased MPID for one run at most', async () => {
  await using here = await openWrittenBack(fixture, TABLE);
  const pipeline = await here.pipeline();
  const killed = await here.run(pipeline);
  const mpidOfAnn = async () => (await peopleOf(fixture, here.warehouse)).find(([name]) => name === 'ann')?.[2];
  const mpid = (await mpidOfAnn()) as bigint;
  await here.store.execute("UPDATE pipeline_runs SET status = 'failed' WHERE id = $1", [killed.id]);
  await here.store.execute("UPDATE data_models SET sql_query = sql_query || ' WHERE email = ''nobody'''");
  const erased = { workspaceId: here.workspace, mpids: [mpid], nowMs: 0 };
  await here.store.transaction((tx) => queueErasedMpids(tx, erased));
  const waiting = () => here.store.query('SELECT mpid FROM erased_mpids');
  await here.run(pipeline);
  expect([await mpidOfAnn(), await waiting()]).toEqual([null, [{ mpid }]]);
  await here.warehouse.seed([`UPDATE people SET MPID = ${mpid} WHERE customer_id = 'ann'`]);
  await here.run(pipeline);
  expect([await mpidOfAnn(), await waiting()]).toEqual([null, []]);
});

const CONFLICTING = peopleTable(fixture, [
  ['ann', 'a@x.org', null, null, 1],
  ['bob', 'b@x.org', null, null, 2],
  ['cyd', 'same@x.org', null, null, 3],
  ['dan', 'same@x.org', null, null, 4],
  ['eve', 'e@x.org', null, null, 5],
]);

test.each([
  ['of somebody', 'ann', '"a@x.org"'],
  ['with somebody', undefined, '"b@x.org"'],
  ['of somebody who shares the key', 'cyd', '"same@x.org"'],
])('a conflict %s who is erased while it is found counts, and its key is not kept', async (_, name, gone) => {
  await using here = await openWrittenBack(fixture, CONFLICTING, {
    async interfere(request, apply) {
      // two rows change meanwhile
      await apply({ ...request, rows: [staged(['a@x.org'], 99n), staged(['b@x.org'], 98n)] });
      const look = request.beforeUpdate;
      const beforeUpdate = async () => {
        const erased = await look();
        await eraseMeanwhile(here, name);
        return erased;
      };
      Object.assign(request, { beforeUpdate });
    },
  });
  const run = await here.run(await here.pipeline({ kept: { rowKey: ['email'] } }));
  expect(run).toMatchObject({ conflictingRecords: 3n });
  const keys = await here.store.query<{ key: string }>('SELECT key FROM write_back_conflicts');
  expect(keys).toHaveLength(2);
  expect(keys.filter(({ key }) => key.includes(gone))).toEqual([]);
});

/** Without a name somebody whose MPID stands in the row of bob. */
async function eraseMeanwhile({ store, workspace }: WrittenBack, name: string | undefined): Promise<void> {
  const profiles = await store.query<{ mpid: bigint; identities: string }>('SELECT mpid, identities FROM profiles');
  const mpids =
    name === undefined
      ? [98n]
      : profiles.filter((each) => each.identities.includes(`"${name}"`)).map(({ mpid }) => mpid);
  const people = mpids.map((mpid) => ({ environment: 'production' as const, mpid }));
  await runExclusively(store, workspace, async (tx) => {
    await createTombstones(IDENTITY_KEY).erasePeople(tx, { workspaceId: workspace, people, nowMs: 0 });
    await queueErasedMpids(tx, { workspaceId: workspace, mpids, nowMs: 0 });
  });
}

test('a row that would give its person more identities than limits.profile_identities allows fails', async () => {
  await using here = await openWrittenBack(fixture, TABLE);
  await here.store.execute(
    `INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)
     ON CONFLICT (workspace_id) DO UPDATE SET settings = $2`,
    [here.workspace, JSON.stringify({ limits: { profile_identities: 1 } })],
  );
  await here.run(await here.pipeline({ sqlQuery: 'SELECT customer_id, email, MPID FROM people' }));
  const failed = await here.store.query<{ rule: string }>('SELECT rule FROM failed_records ORDER BY rule');
  expect(failed.map(({ rule }) => rule)).toContain('profile_full');
  const [ann] = await peopleOf(fixture, here.warehouse);
  expect(ann).toEqual(PEOPLE[0]);
});
