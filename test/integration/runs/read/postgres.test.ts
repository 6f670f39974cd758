// People of a customer's PostgreSQL, by the real connector: full, then only what changed.
import { expect, test } from 'vitest';
import { redshift } from '../../../../connectors/redshift/index.ts';
import { parseJson } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { openPostgresWarehouse } from '../../../support/fakes/postgres-warehouse.ts';
import {
  addPipeline,
  countsOf,
  readPipeline,
  startDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const SQL = 'SELECT customer_id, email, tags, spent, born, seen_at, updated_at FROM shop.people -- everyone\n;';
const TABLE = [
  'CREATE SCHEMA shop',
  'GRANT USAGE ON SCHEMA shop TO reader',
  `CREATE TABLE shop.people (customer_id bigint, email text, tags text[], spent numeric(30, 10), born date,
    seen_at timestamptz, updated_at timestamptz)`,
  `INSERT INTO shop.people SELECT 9007199254740993 + n, 'p' || n || '@example.org', ARRAY['a b', 'c"d'],
    12345678901234567890.1234567891 + n, date '1990-01-01' + n::integer, timestamptz '2026-01-15 10:00:00.000001Z',
    timestamptz '2026-01-15 11:00:00Z' + n * interval '1 microsecond' FROM generate_series(0::bigint, 499) AS n`,
  `INSERT INTO shop.people SELECT -1, 'nobody@example.org'`,
];
const ITERATOR = { field: 'updated_at', type: 'timestamp_tz', declaredType: 'timestamp_tz' } as const;

async function attributesOf(store: Store, customerId: string): Promise<unknown> {
  const rows = await store.query<{ attributes: string }>('SELECT attributes FROM profiles');
  return rows.map(({ attributes }) => attributes).find((text) => text.includes(customerId));
}

test('people of PostgreSQL arrive once and exactly, by full runs and by what changed', async () => {
  const clock = handClock();
  await using store = await openTestStore();
  await using warehouse = await openPostgresWarehouse();
  await warehouse.seed(TABLE);
  await using daemon = await startDaemon({ store, clock, connector: redshift });
  const common = { provider: 'Gamma', config: warehouse.config, sqlQuery: SQL } as const;
  await addPipeline(store, { ...common, id: 'all' });
  await addPipeline(store, { ...common, id: 'changed', syncMode: { type: 'incremental', iterator: ITERATOR } });
  const run = async (id: string) => {
    const started = await trigger(daemon, store, { pipeline: await readPipeline(store, { id }), nowMs: clock.nowMs() });
    return await untilRun(store, started, 'success');
  };

  expect(countsOf(await run('all'))).toEqual([501, 501, 0, 0, 0]);
  const first = await run('changed');
  expect(countsOf(first)).toEqual([500, 500, 0, 0, 0]);
  expect(first.warnings).toEqual([{ message: expect.stringContaining('1 rows have no "updated_at"') }]);
  expect(first.rangeEnd).toBe('2026-01-15T12:00:00.000000Z');

  clock.advance(3_600_000);
  await warehouse.seed([
    `UPDATE shop.people SET spent = 0.1, updated_at = '2026-01-15 12:00:00Z' WHERE email = 'p7@example.org'`,
    `UPDATE shop.people SET spent = 0.2, updated_at = '2026-01-15 13:00:00Z' WHERE email = 'p8@example.org'`,
  ]);
  // the start belongs to the range, the end does not
  expect(countsOf(await run('changed'))).toEqual([1, 1, 0, 0, 0]);
  clock.advance(1);
  expect(countsOf(await run('changed'))).toEqual([1, 1, 0, 0, 0]);
  expect(countsOf(await run('changed'))).toEqual([0, 0, 0, 0, 0]);

  const [{ n } = { n: 0n }] = await store.query<{ n: bigint }>('SELECT count(*) AS n FROM profiles');
  expect(n).toBe(501n);
  const attributes = String(await attributesOf(store, '1990-01-10'));
  expect(attributes).toContain('12345678901234567899.1234567891');
  expect(parseJson(attributes)).toMatchObject({
    tags: ['a b', 'c"d'],
    born: '1990-01-10',
    seen_at: '2026-01-15T10:00:00.000001Z',
  });
  expect(await warehouse.connections()).toBe(0);
});

test('a model that PostgreSQL does not take faults the pipeline with what the server says', async () => {
  const clock = handClock();
  await using store = await openTestStore();
  await using warehouse = await openPostgresWarehouse();
  await using daemon = await startDaemon({ store, clock, connector: redshift });
  await addPipeline(store, { provider: 'Gamma', config: warehouse.config, sqlQuery: 'SELECT email FROM nowhere' });
  const pipeline = await readPipeline(store);
  const id = await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
  const failed = await untilRun(store, id, 'failed');
  expect(failed.errors).toMatchObject([
    { message: expect.stringContaining('relation "nowhere" does not exist (42P01)') },
  ]);
});
