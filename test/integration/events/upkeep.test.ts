// Upkeep of the log by the daemon: months are made when it starts, and what nobody keeps goes with the daily cadence.
import { expect, test } from 'vitest';
import { monthOf } from '../../../src/events/log/months.ts';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openCliStore } from '../../support/runner/cli-store.ts';

const OLD = ['event_batches_2019_01'];

async function partitions(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event_batches'::regclass ORDER BY 1",
  );
  return rows.map(({ name }) => name).filter((name) => name !== 'event_batches_default');
}

test('a daemon makes the months of the log and drops what no workspace keeps', async () => {
  await using cli = await openCliStore();
  const { store } = cli;
  await cli.penstock.json('init');
  await store.execute(
    "CREATE TABLE event_batches_2019_01 PARTITION OF event_batches FOR VALUES FROM ('2019-01-01T00:00:00Z') TO ('2019-02-01T00:00:00Z')",
  );
  await store.execute(
    `INSERT INTO event_batches VALUES (1, 1, '2019-01-01T00:00:00Z', 1, 0, '{}'), (1, 1, '2019-03-01T00:00:00Z', 1, 0, '{}'),
       (1, 1, $1, 1, 0, '{}')`,
    [new Date()],
  );
  const names = [0, 1, 2].map((ahead) => monthOf(Date.now(), ahead).start.toISOString().slice(0, 7).replace('-', '_'));
  await cli.startApp();
  // the batch of this month was there first, so this month stays in the default partition
  expect(await partitions(store)).toEqual([...OLD, ...names.slice(1).map((name) => `event_batches_${name}`)]);
  await store.execute("UPDATE cadences SET next_due_at = $1 WHERE name = 'expire'", [new Date(Date.now() - 60_000)]);
  await until(async () => (await store.query('SELECT 1 FROM event_batches')).length === 1);
  expect(await partitions(store)).not.toContain(OLD[0]);
});
