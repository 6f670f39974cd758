// kill -9 in the middle of writing MPIDs back: the next daemon brings the run to the same end, and nothing is left behind.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createFeed } from '../../../src/access/create-feed.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { PIPELINES } from '../../support/crash/crash-pipeline.ts';
import { type CrashSite, letLeasesEnd, openCrashSite, untilOver, untilShare } from '../../support/crash/crash-site.ts';
import { type CrashSource, duckdbSource } from '../../support/crash/crash-source.ts';
import { holdRuns } from '../../support/crash/held-runs.ts';
import { openPostgresWarehouse } from '../../support/postgres-warehouse.ts';
import { testKeyRing } from '../../support/test-access.ts';
import { until } from '../../support/until.ts';

const ROWS = 3000;
const PEOPLE = [
  'CREATE TABLE people (customer_id VARCHAR, email VARCHAR, mpid BIGINT, note VARCHAR, n BIGINT)',
  `INSERT INTO people SELECT CASE WHEN n % 2 = 0 THEN NULL ELSE 'c' || n END, 'p' || n || '@example.org', NULL,
     'note ' || n, n FROM generate_series(1, ${ROWS}) AS numbers(n)`,
];

type Person = readonly [email: string, mpid: string | null, rest: string];

/** The table, as text. */
type ReadPeople = () => Promise<readonly Person[]>;
const SELECT = `SELECT email, CAST(mpid AS VARCHAR) AS mpid, coalesce(customer_id, '-') || note || n AS rest
  FROM people ORDER BY n`;

async function definePipeline(site: CrashSite, { connection }: Pick<CrashSource, 'connection'>): Promise<number> {
  const [workspace] = await site.store.query<{ id: bigint }>('SELECT id FROM workspaces');
  const caller = { workspaceId: workspace?.id, actor: 'tester' } as unknown as Parameters<typeof createFeed>[1];
  const access = { store: site.store, clock: systemClock, keyRing: testKeyRing() };
  const module = connection.service_provider;
  const { feed } = await createFeed(access, caller, { module_name: module, name: 'people' });
  const base = { id: 'people', name: 'people', state: 'active' };
  const sql_query = 'SELECT customer_id, email, mpid FROM people';
  await site.api.post('/connections', { ...base, ...connection });
  await site.api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
  await site.api.post(PIPELINES, {
    ...{ ...base, pipeline_type: 'user_attributes', connection_id: 'people', data_model_id: 'people' },
    ...{ partner_feed_id: feed.id, environment: 'production', sync_mode: { type: 'full' } },
    schedule: { type: 'on_demand' },
  });
  const { pipeline_run_id: run } = await site.api.post(`${PIPELINES}/trigger`, { pipeline_id: 'people' });
  return Number(run);
}

async function strike(site: CrashSite): Promise<void> {
  const [served] = site.daemons;
  if (served !== undefined) await site.end(served, 'SIGKILL');
  await letLeasesEnd(site);
}

/** Everybody has the MPID of their profile, nothing else has changed, and a further run changes nothing. */
async function expectWritten(
  site: CrashSite,
  run: number,
  { before, read }: { before: readonly Person[]; read: ReadPeople },
) {
  expect(await untilOver(site, { id: 'people' }, run)).toMatchObject({
    ...{ status: 'success', errors: [], warnings: [], conflicting_records: 0, failed_records: 0 },
    ...{ extracted_records: ROWS, successful_records: ROWS },
  });
  const after = await read();
  expect(after.map(([email, , rest]) => [email, rest])).toEqual(before.map(([email, , rest]) => [email, rest]));
  const profiles = await mpidsByEmail(site.store);
  expect(after.map(([, mpid]) => mpid)).toEqual(after.map(([email]) => profiles.get(email)));
  expect(profiles.size).toBe(ROWS);
  const { pipeline_run_id: again } = await site.api.post(`${PIPELINES}/trigger`, { pipeline_id: 'people' });
  expect(await untilOver(site, { id: 'people' }, Number(again))).toMatchObject({
    status: 'success',
    written_records: 0,
  });
  expect(await read()).toEqual(after);
}

async function mpidsByEmail(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await store.query<{ mpid: bigint; identities: string }>('SELECT mpid, identities FROM profiles');
  return new Map(
    rows.map(({ mpid, identities }) => [
      new Map(JSON.parse(identities) as [string, string][]).get('email') ?? '',
      `${mpid}`,
    ]),
  );
}

test('PostgreSQL, killed while it resolves and while its update waits for a row', async () => {
  await using warehouse = await openPostgresWarehouse();
  await warehouse.seed([...PEOPLE, `GRANT UPDATE ON people TO ${warehouse.config.user}`]);
  await using site = await openCrashSite({ store: 'shared', chunkRows: 100 });
  await site.serve();
  const read: ReadPeople = async () =>
    (await warehouse.ask(SELECT)).map(({ email, mpid, rest }) => [email, mpid, rest] as unknown as Person);
  const before = await read();
  const held = await holdRuns(site, 2000);
  const run = await definePipeline(site, { connection: { service_provider: 'Gamma', config: warehouse.config } });
  await untilShare(site, { runIds: [run], rows: ROWS }, 0.3);
  await strike(site);
  await held.release(site);
  expect(await read()).toEqual(before);

  await holdingRow(warehouse, async () => {
    await site.serve();
    await until(async () => (await waitingUpdates(warehouse)) > 0);
    await strike(site);
    // the server looks for its client every two seconds
    await until(async () => (await warehouse.connections()) === 0);
  });
  expect(await read()).toEqual(before);
  expect(await warehouse.ask("SELECT relname FROM pg_class WHERE relname LIKE 'penstock_stg%'")).toEqual([]);
  await site.serve();
  await expectWritten(site, run, { before, read });
  expect(await warehouse.ask("SELECT relname FROM pg_class WHERE relname LIKE 'penstock_stg%'")).toEqual([]);
}, 900_000);

type Postgres = Awaited<ReturnType<typeof openPostgresWarehouse>>;

/** Somebody else has a row of the table locked meanwhile. */
async function holdingRow({ seed, ask }: Postgres, work: () => Promise<void>): Promise<void> {
  const held = seed(['BEGIN', 'UPDATE people SET note = note WHERE n = 1', 'SELECT pg_sleep(300)']).catch(
    () => undefined,
  );
  const pids = () => ask("SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(300)%'");
  await until(async () => (await pids()).length > 0);
  await work();
  await ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(300)%'");
  await held;
}

async function waitingUpdates({ ask }: Postgres): Promise<number> {
  const rows = await ask(
    "SELECT pid FROM pg_stat_activity WHERE query LIKE 'UPDATE people AS t%' AND wait_event_type = 'Lock'",
  );
  return rows.length;
}

test('DuckDB, killed while it resolves and while it writes', async () => {
  await using site = await openCrashSite({ store: 'shared', chunkRows: 100 });
  await site.serve();
  const source = await duckdbSource(site.folder, 'people');
  for (const statement of PEOPLE) await source.run(statement);
  const connection = { service_provider: 'DuckDB', config: { database: 'people.duckdb', read_only: false } };
  const file = `${site.folder}/people.json`;
  const read: ReadPeople = async () => {
    await source.run(`COPY (${SELECT}) TO '${file}' (FORMAT json)`);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    return lines.map((line) => {
      const { email, mpid, rest } = JSON.parse(line) as { email: string; mpid: string | null; rest: string };
      return [email, mpid, rest];
    });
  };
  const before = await read();
  let held = await holdRuns(site, 2000);
  const run = await definePipeline(site, { connection });
  for (const share of [0.5, 1]) {
    // an attempt begins with counts of 0
    expect(await untilShare(site, { runIds: [run], rows: ROWS }, share)).toBe(true);
    await strike(site);
    await held.release(site);
    const now = await read();
    // all of it or nothing
    expect([0, ROWS]).toContain(now.filter(([, mpid]) => mpid !== null).length);
    await site.store.execute('UPDATE pipeline_runs SET extracted_records = 0, successful_records = 0');
    // the second blow falls while it writes, or before it can say that it has written
    held = await holdRuns(site);
    await site.serve();
  }
  await held.release(site);
  await expectWritten(site, run, { before, read });
  await source.run(
    `COPY (SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'penstock%') TO '${file}' (FORMAT csv)`,
  );
  expect(await readFile(file, 'utf8')).toBe('table_name\n');
}, 900_000);
