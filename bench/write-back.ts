// MPIDs into the table they belong to, through the real daemon: `npm run bench -- write-back [rows …]`, over a PostgreSQL and
// a DuckDB file, half of the people known before; 100,000 and 1,000,000 rows where none are named. Compared with the driver
// alone, which only loads staging and updates.
import { parseArgs } from 'node:util';
import { createFeed } from '../src/access/feeds/create-feed.ts';
import { systemClock } from '../src/kernel/index.ts';
import { testKeyRing } from '../test/support/apis/test-access.ts';
import { type BenchDaemon, startBenchDaemon } from './support/daemon.ts';
import { type Measured, measureRun, tableOf } from './support/measure-run.ts';
import { duckdbPeople, type PeopleTable, postgresPeople } from './support/people-tables.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const SIZES = positionals.length === 0 ? [100_000, 1_000_000] : positionals.map(Number);

async function define({ api, store }: BenchDaemon, { id, connection }: PeopleTable): Promise<void> {
  const [workspace] = await store.query<{ id: bigint }>('SELECT id FROM workspaces');
  const caller = { workspaceId: workspace?.id, actor: 'bench' } as unknown as Parameters<typeof createFeed>[1];
  const module = { module_name: connection.service_provider, name: id };
  const { feed } = await createFeed({ store, clock: systemClock, keyRing: testKeyRing() }, caller, module);
  const base = { id, name: id, state: 'active' };
  await api.post('/connections', { ...base, ...connection });
  const pipeline = async (name: string, sql: string, more: object) => {
    const named = { ...base, id: name, name };
    await api.post('/data-models', { ...named, type: 'sql', config: { sql_query: sql } });
    await api.post('/inputs/data-pipelines', {
      ...{ ...named, pipeline_type: 'user_attributes', environment: 'production', sync_mode: { type: 'full' } },
      ...{ connection_id: id, data_model_id: name, schedule: { type: 'on_demand' }, ...more },
    });
  };
  await pipeline('half', 'SELECT customer_id, email FROM people WHERE n % 2 = 0', {});
  await pipeline('write', 'SELECT customer_id, email, mpid FROM people', { partner_feed_id: feed.id });
}

async function measure(rows: number, open: (folder: string) => Promise<PeopleTable>): Promise<readonly object[]> {
  await using daemon = await startBenchDaemon();
  await using table = await open(daemon.folder);
  const { id } = table;
  const seconds = await table.writeBare();
  const bare: Measured = {
    ...{ name: `${id}: staging and update by the driver alone`, rows, seconds },
    ...{ nodeMicros: 0, postgresMicros: 0, peakMb: null },
  };
  await define(daemon, table);
  await measureRun(daemon, { id: 'half', name: 'half' });
  const first = await measureRun(daemon, { id: 'write', name: `${id}: half known, all written` });
  const again = await measureRun(daemon, { id: 'write', name: `${id}: again, nothing changes` });
  const share = (measured: Measured) => bare.seconds / measured.seconds;
  const shares = [undefined, share(first), share(again)];
  return tableOf([bare, first, again], { driver: bare }).map((line, index) => ({
    ...line,
    'of the driver': shares[index]?.toFixed(2),
  }));
}

for (const rows of SIZES) {
  const measured = [
    ...(await measure(rows, () => postgresPeople(rows))),
    ...(await measure(rows, (folder) => duckdbPeople(folder, rows))),
  ];
  console.table(measured);
  console.log(JSON.stringify({ rows, measured }));
}
