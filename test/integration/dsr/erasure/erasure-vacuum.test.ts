// Traces of an erasure in the files of the store, and their removal.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registerVacuum } from '../../../../src/dsr/vacuum/register-vacuum.ts';
import { vacuumAfterErasures } from '../../../../src/dsr/vacuum/vacuum-after-erasures.ts';
import { createJobs } from '../../../../src/jobs/index.ts';
import { createLog, Secret } from '../../../../src/kernel/index.ts';
import { openStore, type Store, tablesNotToVacuum } from '../../../../src/store/index.ts';
import { insertErasure, readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { deliverBatches } from '../../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../../support/clocks/fake-clock.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { until } from '../../../support/clocks/until.ts';
import { deliver, person } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const log = createLog('silent');
const DAY_MS = 86_400_000;

/** Tables in whose files the text stands, TOAST included, once all of them are written. */
async function tablesHolding(store: Store, text: string): Promise<string[]> {
  await store.execute('CHECKPOINT');
  const [server] = await store.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
  const files = await store.query<{ table: string; path: string }>(
    `SELECT relname AS table, pg_relation_filepath(oid) AS path FROM pg_class WHERE relkind IN ('r', 't')
     AND relfilenode <> 0 AND relpersistence = 'p' AND relnamespace <> 'pg_catalog'::regnamespace`,
  );
  const holding: string[] = [];
  for (const { table, path } of files) {
    const bytes = await readFile(join(server?.folder ?? '', path));
    if (bytes.includes(text)) holding.push(table);
  }
  return holding;
}

/** An erasure of one person among others, who came before and after; answers the value that names the person. */
async function eraseOne(store: Store) {
  const email = `${randomUUID()}@example.org`;
  const others = () => Array.from({ length: 20 }, () => person({ email: `${randomUUID()}@example.org` }));
  const people = [...others(), person({ email }, { mail: `"${email}"` }), ...others()];
  await deliver(store, people);
  const clock = fakeClock();
  await deliverBatches(
    store,
    people.map((someone) => ({ person: someone, text: `{"events":[],"note":"${someone.identities[0]?.value}"}` })),
    { clock },
  );
  const request = await insertErasure(store, { identities: [{ type: 'email', value: email }] });
  clock.advance(2 * DAY_MS);
  await work(workDeps(store, clock), request);
  expect(await readRequest(store, request)).toMatchObject({ status: 'completed', vacuumed_on: null });
  return { email, request, clock };
}

const never = new AbortController().signal;

test('no byte of an erased person stays among the rows of others', async () => {
  await using store = await openTestStore();
  const { email, request, clock } = await eraseOne(store);
  expect(await tablesHolding(store, email)).toEqual(expect.arrayContaining(['profiles']));
  clock.advance(DAY_MS);
  await vacuumAfterErasures({ store, clock, log }, never);
  expect(await tablesHolding(store, email)).toEqual([]);
  expect(Date.parse(String((await readRequest(store, request)).vacuumed_on))).toBe(clock.nowMs());
});

test('an erasure that an open transaction precedes waits for the next night', async () => {
  await using store = await openTestStore();
  const { request, clock } = await eraseOne(store);
  await store.transaction(async (tx) => {
    await tx.query('SELECT 1');
    await vacuumAfterErasures({ store, clock, log }, never);
  });
  expect(await readRequest(store, request)).toMatchObject({ vacuumed_on: null });
});

test('tables of another owner are named, and the erasures wait for the next night', async () => {
  await using store = await openTestStore();
  const { request, clock } = await eraseOne(store);
  clock.advance(DAY_MS);
  const role = `r_${randomUUID().replaceAll('-', '')}`;
  await store.execute(
    `CREATE ROLE ${role}; GRANT SELECT, UPDATE ON ALL TABLES IN SCHEMA public TO ${role}; ALTER TABLE profiles OWNER TO ${role}`,
  );
  const url = new URL(store.databaseUrl);
  url.searchParams.set('options', `-c role=${role}`);
  const databaseUrl = new Secret(url.href);
  const lines: string[] = [];
  const written = createLog('warn', { write: (line) => lines.push(line) });
  await using guest = openStore({ databaseUrl, poolSize: 2, log });
  await vacuumAfterErasures({ store: guest, clock, log: written }, never);
  expect(await readRequest(store, request)).toMatchObject({ vacuumed_on: null });
  const [{ msg, tables }] = lines.map((line) => JSON.parse(line));
  expect({ msg, lines: lines.length }).toEqual({ msg: 'dsr.tables_not_vacuumed', lines: 1 });
  expect(tables).toContainEqual({ table: 'public.event_batches_default' });
  expect(tables).not.toContainEqual({ table: 'public.profiles' });
  expect(await tablesNotToVacuum(guest)).toEqual(tables.map(({ table }: { readonly table: string }) => table));
  expect(await tablesNotToVacuum(store)).toEqual([]);
  await store.execute(`ALTER TABLE profiles OWNER TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test('the night vacuums once, whichever of the daemons it is', async () => {
  await using store = await openTestStore();
  const { request } = await eraseOne(store);
  const clock = handClock(Date.UTC(2026, 0, 20, 2, 39));
  const daemons = await Promise.all(
    [1, 2].map(async () => {
      const jobs = createJobs({ store, clock, log });
      await registerVacuum({ store, clock, log, jobs }, { works: true });
      await jobs.start();
      return jobs;
    }),
  );
  clock.advance(120_000);
  await until(async () => {
    clock.advance(1_000);
    return (await readRequest(store, request)).vacuumed_on !== null;
  });
  await Promise.all(daemons.map((jobs) => jobs.drain(10_000)));
}, 120_000);
