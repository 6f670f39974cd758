// A table or file that is replaced between the description of its model and the reading of its rows.
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { duckdb } from '../../../../connectors/duckdb/index.ts';
import type { Connector, Session } from '../../../../src/warehouse/index.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { COLUMNS, INCREMENTAL, people, text } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import {
  addPipeline,
  countsOf,
  readPipeline,
  startDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const here = drivenRuns();
const { arrivals, attempt, request } = here;

/** The next attempt of a run that waits for one. */
async function attemptAgain(id: bigint, retryAt: Date | null) {
  here.clock.set(retryAt?.getTime() ?? 0);
  return await attempt(undefined, id);
}

/** Replaces the table once, when the warehouse is asked for its time: between the description and the rows. */
function replaceBeforeReading(columns: typeof COLUMNS, rows: typeof here.warehouse.rows): void {
  let isDone = false;
  here.warehouse.nowMs = () => {
    if (!isDone) Object.assign(here.warehouse, { columns, rows });
    isDone = true;
    return here.clock.nowMs();
  };
}

test.each([
  {
    how: 'in another order',
    columns: COLUMNS.toReversed(),
    rows: people(5).map((row) => row.toReversed()),
    complaint: 'column 1 was "email" (text)',
  },
  {
    how: 'with one more',
    columns: [...COLUMNS, text('plan')],
    rows: people(5).map((row) => [...row, 'new']),
    complaint: 'is "plan" (text) in its rows',
  },
  {
    how: 'with another type',
    columns: COLUMNS.with(1, { name: 'city', type: 'integer', nativeType: 'BIGINT' }),
    rows: people(5).map(([email = '', , at = '']) => [email, 7, at]),
    complaint: 'column 2 was "city" (text) when the model was described, and is "city" (integer) in its rows',
  },
])('columns that come $how take no row, and the next attempt goes by them', async ({ columns, rows, complaint }) => {
  await addPipeline(here.store, { syncMode: INCREMENTAL });
  here.warehouse.rows = people(5);
  replaceBeforeReading(columns, rows);

  const first = await attempt();

  expect(first.status).toBe('retrying');
  expect(first.errors).toEqual([{ message: expect.stringContaining(complaint) }]);
  expect(await arrivals()).toEqual({});
  const done = await attemptAgain(first.id, first.retryAt);
  expect(done).toMatchObject({ status: 'success', attempts: 2 });
  expect(countsOf(done)).toEqual([5, 5, 0, 0, 0]);
  expect(Object.keys(await arrivals()).toSorted()).toEqual(people(5).map(([email]) => email));
});

test('an attempt that expects other columns is not answered with the result that the one before it had', async () => {
  await addPipeline(here.store);
  here.warehouse.rows = people(6);
  const id = await request();
  const killed = await attempt(here.killAt(1), id);
  here.warehouse.columns = COLUMNS.toReversed();
  here.warehouse.rows = people(6).map((row) => row.toReversed());
  expect(countsOf(await attempt(undefined, killed.id))).toEqual([6, 6, 0, 0, 0]);
  const [first, second] = here.warehouse.snapshotKeys;
  expect(second).not.toBe(first);
});

/** The connector with `meanwhile` done once, when a session of it is asked for the time. */
function interrupted(connector: Connector, meanwhile: () => Promise<void>): Connector {
  let done: Promise<void> | undefined;
  return {
    ...connector,
    async open(...given): Promise<Session> {
      const session = await connector.open(...given);
      const clock = async (signal: AbortSignal) => {
        done ??= meanwhile();
        await done;
        return await session.clock(signal);
      };
      return { ...session, clock };
    },
  };
}

function fileOf(header: string, whoIs: (n: number) => string): string {
  return [header, ...Array.from({ length: 3000 }, (_, n) => `${whoIs(n)},2026-01-15 11:00:00`)].join('\n');
}

test('a file that is replaced between its description and its rows is described again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-replaced-'));
  try {
    const file = join(folder, 'people.csv');
    await writeFile(
      file,
      fileOf('customer_id,email,at', (n) => `c-${n},p${n}@x.org`),
    );
    const other = join(folder, 'next.csv');
    await writeFile(
      other,
      fileOf('email,customer_id,at', (n) => `p${n}@x.org,c-${n}`),
    );
    const clock = handClock();
    await using store = await openTestStore();
    const connector = interrupted(duckdb, () => rename(other, file));
    await using daemon = await startDaemon({ store, clock, connector, folder });
    const iterator = { field: 'at', type: 'timestamp_ntz', declaredType: 'timestamp' } as const;
    await addPipeline(store, {
      sqlQuery: "SELECT * FROM 'people.csv'",
      syncMode: { type: 'incremental', iterator, until: '2026-01-15T12:00:00Z' },
    });
    const id = await trigger(daemon, store, { pipeline: await readPipeline(store), nowMs: clock.nowMs() });
    const waiting = await untilRun(store, id, 'retrying');
    expect(waiting.errors).toEqual([{ message: expect.stringContaining('column 1 was "customer_id" (text)') }]);
    clock.advance(60_000);
    await daemon.engine.poll();
    expect(countsOf(await untilRun(store, id, 'success'))).toEqual([3000, 3000, 0, 0, 0]);
    const [kept] = await store.query<{ identities: string }>('SELECT identities FROM profiles ORDER BY mpid LIMIT 1');
    expect(JSON.parse(kept?.identities ?? '')).toContainEqual(['email', expect.stringContaining('@x.org')]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
