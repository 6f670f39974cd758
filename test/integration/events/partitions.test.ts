import { describe, expect, it } from 'vitest';
import { countStrayBatches, dropPartitions, keepPartitions, readBatches } from '../../../src/events/index.ts';
import { createLog } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliverBatches, mpidsOfBatches } from '../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const log = createLog('silent');
const ANN = { person: person({ customer_id: 'ann' }), text: '{}' };
const at = (text: string) => fakeClock(Date.parse(text));
const keep = (store: Store, text: string) => keepPartitions({ store, clock: at(text), log });

/** Partitions that hold something, with how many. */
async function places(store: Store): Promise<Record<string, bigint>> {
  const rows = await store.query<{ place: string; count: bigint }>(
    'SELECT tableoid::regclass::text AS place, count(*) AS count FROM event_batches GROUP BY 1 ORDER BY 1',
  );
  return Object.fromEntries(rows.map(({ place, count }) => [place, count]));
}

async function partitions(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event_batches'::regclass ORDER BY 1",
  );
  return rows.map(({ name }) => name.replace('event_batches_', ''));
}

describe('the partitions of the log', () => {
  it('are made for this month and the next two, whatever the session’s zone, and once however often it is asked', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-11-30T23:59:59.999Z');
    await keep(store, '2026-11-30T23:59:59.999Z');
    expect(await partitions(store)).toEqual(['2026_11', '2026_12', '2027_01', 'default']);
    await keep(store, '2026-12-01T00:00:00.000Z');
    expect(await partitions(store)).toEqual(['2026_11', '2026_12', '2027_01', '2027_02', 'default']);
    expect(
      await store.query(
        "SELECT pg_get_expr(relpartbound, oid) AS b FROM pg_class WHERE relname = 'event_batches_2026_12'",
      ),
    ).toEqual([{ b: "FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00')" }]);
  });

  it('are made by several daemons that start at once, and none complains that another was faster', async () => {
    await using store = await openTestStore();
    const lines: string[] = [];
    const warnings = createLog('warn', { write: (line) => lines.push(line) });
    const clock = at('2026-11-15T00:00:00Z');
    await Promise.all(Array.from({ length: 4 }, () => keepPartitions({ store, clock, log: warnings })));
    expect(lines).toEqual([]);
    expect(await partitions(store)).toEqual(['2026_11', '2026_12', '2027_01', 'default']);
  });

  it('are those of the time after a downtime of months, and leave out what nobody was there for', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-01-15T00:00:00Z');
    await keep(store, '2026-08-15T00:00:00Z');
    expect(await partitions(store)).toEqual([
      ...['2026_01', '2026_02', '2026_03', '2026_08', '2026_09', '2026_10', 'default'],
    ]);
  });

  it('are made while a delivery that is not over holds the log', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-10-15T00:00:00Z');
    await store.transaction(async (tx) => {
      await tx.execute(
        "INSERT INTO event_batches VALUES (1, 1, '2026-11-01T00:00:00Z', 1, 0, '{}'), (1, 2, '2026-10-01T00:00:00Z', 2, 0, '{}')",
      );
      await keep(store, '2026-11-15T00:00:00Z');
    });
    expect(await partitions(store)).toContain('2027_01');
  });

  it('have the key of the log, so that no batch stands twice in one', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-11-15T00:00:00Z');
    const insert = () => store.execute("INSERT INTO event_batches VALUES (1, 1, '2026-11-01T00:00:00Z', 1, 0, '{}')");
    await insert();
    await expect(insert()).rejects.toMatchObject({ code: 'STORE_UNIQUE' });
    const keys = await store.query<{ key: string }>(
      "SELECT pg_get_indexdef(indexrelid) AS key FROM pg_index WHERE indrelid = 'event_batches_2026_11'::regclass",
    );
    expect(keys.map(({ key }) => key.replace(/.*USING btree /, '')).sort()).toEqual([
      '(workspace_id, mpid, received_on, id)',
      '(workspace_id, received_on)',
    ]);
  });
});

describe('a batch', () => {
  it('lies in the month of its receipt, in UTC', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-11-15T00:00:00Z');
    for (const time of ['2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z']) {
      await deliverBatches(store, [ANN], { clock: at(time) });
    }
    expect(await places(store)).toEqual({ event_batches_2026_11: 2n, event_batches_2026_12: 1n });
  });

  it('is caught by the default partition where its month has none, and read among the others', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-11-15T00:00:00Z');
    let mpid: bigint | undefined;
    for (const time of ['2026-11-02T00:00:00Z', '2031-05-01T00:00:00Z', '2020-01-01T00:00:00Z']) {
      [mpid] = mpidsOfBatches(await deliverBatches(store, [ANN], { clock: at(time) }));
    }
    expect(await places(store)).toEqual({ event_batches_2026_11: 1n, event_batches_default: 2n });
    expect([await countStrayBatches(store, 10), await countStrayBatches(store, 1)]).toEqual([2, 1]);
    const read = await readBatches(store, { workspaceId: SCOPE.workspaceId, mpid: mpid ?? 0n }, { limit: 10 });
    expect(read.map(({ receivedOn }) => receivedOn.getUTCFullYear())).toEqual([2031, 2026, 2020]);
  });

  it('stays where it is when its month comes after all, and the months around are made', async () => {
    await using store = await openTestStore();
    await deliverBatches(store, [ANN], { clock: at('2026-12-24T00:00:00Z') });
    const lines: unknown[] = [];
    const warnings = createLog('warn', { write: (line) => lines.push(JSON.parse(line)) });
    await keepPartitions({ store, clock: at('2026-11-15T00:00:00Z'), log: warnings });
    expect(lines).toMatchObject([{ msg: 'events.partition_not_made', partition: 'event_batches_2026_12' }]);
    expect(await partitions(store)).toEqual(['2026_11', '2027_01', 'default']);
    await deliverBatches(store, [ANN], { clock: at('2026-12-25T00:00:00Z') });
    expect(await places(store)).toEqual({ event_batches_default: 2n });
  });
});

describe('a partition', () => {
  const since = (...times: readonly string[]) => times.map((time) => ({ batchesSince: new Date(time) }));

  it('goes whole once no workspace keeps anything of it', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-10-15T00:00:00Z');
    const drop = (...times: readonly string[]) => dropPartitions({ store, log }, since(...times));
    await drop('2026-11-01T00:00:00Z', '2026-10-31T23:59:59.999Z');
    expect(await partitions(store)).toEqual(['2026_10', '2026_11', '2026_12', 'default']);
    await drop('2026-11-01T00:00:00Z', '2026-11-15T00:00:00Z');
    expect(await partitions(store)).toEqual(['2026_11', '2026_12', 'default']);
  });

  it('stays where there is no workspace to ask', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-10-15T00:00:00Z');
    await dropPartitions({ store, log }, []);
    expect(await partitions(store)).toHaveLength(4);
  });

  it('stays while a delivery holds the log, and goes the next time', async () => {
    await using store = await openTestStore();
    await keep(store, '2026-10-15T00:00:00Z');
    const drop = () => dropPartitions({ store, log }, since('2026-11-15T00:00:00Z'));
    await store.transaction(async (tx) => {
      await tx.execute("INSERT INTO event_batches VALUES (1, 1, '2026-12-01T00:00:00Z', 1, 0, '{}')");
      await drop();
    });
    expect(await partitions(store)).toContain('2026_10');
    await drop();
    expect(await partitions(store)).toEqual(['2026_11', '2026_12', 'default']);
  });
});
