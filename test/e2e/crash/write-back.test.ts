// kill -9 in the middle of writing MPIDs back: the next daemon brings the run to the same end, and nothing is left behind.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { messageOf } from '../../../src/kernel/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openCrashSite, untilShare } from '../../support/crashes/crash-site.ts';
import { duckdbSource } from '../../support/crashes/crash-source.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import {
  defineWriteBack,
  expectWritten,
  type Person,
  type ReadPeople,
  strike,
  writeBack,
} from '../../support/crashes/write-back-kills.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';

const ROWS = 3000;
const PEOPLE = [
  'CREATE TABLE people (customer_id VARCHAR, email VARCHAR, mpid BIGINT, note VARCHAR, n BIGINT)',
  `INSERT INTO people SELECT CASE WHEN n % 2 = 0 THEN NULL ELSE 'c' || n END, 'p' || n || '@example.org', NULL,
     'note ' || n, n FROM generate_series(1, ${ROWS}) AS numbers(n)`,
];

const SELECT = `SELECT email, CAST(mpid AS VARCHAR) AS mpid, coalesce(customer_id, '-') || note || n AS rest
  FROM people ORDER BY n`;

test('PostgreSQL, killed while it resolves and while its update waits for a row', async () => {
  await using warehouse = await openPostgresWarehouse();
  await warehouse.seed([...PEOPLE, `GRANT UPDATE ON people TO ${warehouse.config.user}`]);
  await using site = await openCrashSite({ store: 'shared', chunkRows: 100 });
  await site.serve();
  const read: ReadPeople = async () =>
    (await warehouse.ask(SELECT)).map(({ email, mpid, rest }) => [email, mpid, rest] as unknown as Person);
  const before = await read();
  const held = await holdRuns(site, 2000);
  await defineWriteBack(site, { connection: { service_provider: 'Gamma', config: warehouse.config } });
  const run = await writeBack(site);
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

function undefinedIfLocked(failure: unknown): undefined {
  if (!messageOf(failure).includes('Could not set lock')) throw failure;
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
  await defineWriteBack(site, { connection });
  const run = await writeBack(site);
  for (const share of [0.5, 1]) {
    // an attempt begins with counts of 0
    expect(await untilShare(site, { runIds: [run], rows: ROWS }, share)).toBe(true);
    await strike(site);
    await held.release(site);
    // the child of a killed daemon ends as soon as it notices, and has the file open until then
    const now = await until(() => read().catch(undefinedIfLocked));
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
