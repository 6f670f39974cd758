import { sql } from 'drizzle-orm';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError, createLog, Secret } from '../../../src/kernel/index.ts';
import { openStore, type Store, type Transaction } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const notes = pgTable('notes', { id: integer('id').primaryKey(), body: text('body').notNull() });

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  await store.execute('DROP TABLE IF EXISTS notes');
  await store.execute('CREATE TABLE notes (id int PRIMARY KEY, body text NOT NULL)');
});

/** The same database through a single connection. */
const overOneConnection = () =>
  openStore({ databaseUrl: new Secret(store.databaseUrl), poolSize: 1, log: createLog('silent') });

const insert = (tx: Transaction, id: number) => tx.execute('INSERT INTO notes VALUES ($1, $2)', [id, `note ${id}`]);
const ids = async () => (await store.query<{ id: number }>('SELECT id FROM notes ORDER BY id')).map(({ id }) => id);

describe('a transaction', () => {
  test('is there as a whole after commit and tells so, and not at all when its work throws', async () => {
    const told: string[] = [];
    await store.transaction(async (tx) => {
      await insert(tx, 1);
      await tx.orm.insert(notes).values({ id: 2, body: 'by drizzle' });
      tx.afterCommit(() => told.push('committed'));
      expect(told).toEqual([]);
    });
    const failing = store.transaction(async (tx) => {
      await insert(tx, 3);
      tx.afterCommit(() => told.push('never'));
      throw new RangeError('enough');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await ids()).toEqual([1, 2]);
    expect(told).toEqual(['committed']);
  });

  test('that swallowed the failure of a statement is an error, not a silent rollback', async () => {
    const swallowing = store.transaction(async (tx) => {
      await insert(tx, 1);
      await insert(tx, 1).catch(() => undefined);
    });
    await expect(swallowing).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(await ids()).toEqual([]);
  });

  test('whose COMMIT fails for no known reason may be there: nobody takes it for a fault of its items', async () => {
    await store.execute(`CREATE OR REPLACE FUNCTION fail_late() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'at the very end'; END $$`);
    await store.execute(`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION fail_late()`);
    await expect(store.transaction((tx) => insert(tx, 1))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('at the very end'),
    });
  });

  test('that was the victim of a deadlock runs again from its start', async () => {
    await store.execute("INSERT INTO notes VALUES (1, ''), (2, '')");
    const bothHold = meeting(2);
    let runs = 0;
    const crossing = (first: number, second: number) =>
      store.transaction(async (tx) => {
        runs += 1;
        await tx.execute('UPDATE notes SET body = body || $2 WHERE id = $1', [first, 'x']);
        await bothHold();
        await tx.execute('UPDATE notes SET body = body || $2 WHERE id = $1', [second, 'x']);
      });
    await Promise.all([crossing(1, 2), crossing(2, 1)]);
    // on a busy machine the one that runs again may meet the other a second time
    expect(runs).toBeGreaterThan(2);
    expect(await store.query('SELECT body FROM notes')).toEqual([{ body: 'xx' }, { body: 'xx' }]);
  });

  test('gives up after its attempts when it loses each time', async () => {
    let runs = 0;
    const losing = store.transaction(
      async (tx) => {
        runs += 1;
        await tx.execute("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$");
      },
      { attempts: 3 },
    );
    await expect(losing).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    expect(runs).toBe(3);
  });

  test('waits for a lock no longer than it was told, and does not try again', async () => {
    await store.execute("INSERT INTO notes VALUES (1, '')");
    let runs = 0;
    await store.transaction(async (holder) => {
      await holder.execute('SELECT 1 FROM notes WHERE id = 1 FOR UPDATE');
      const waiting = store.transaction(
        async (tx) => {
          runs += 1;
          await tx.execute('SELECT 1 FROM notes WHERE id = 1 FOR UPDATE');
        },
        { lockTimeoutMs: 50 },
      );
      await expect(waiting).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    });
    expect(runs).toBe(1);
  });

  test('is broken off by its signal, in the middle of a statement too, even when the pool is used up', async () => {
    await using single = overOneConnection();
    const abort = new AbortController();
    const sleeping = single.transaction((tx) => tx.query('SELECT pg_sleep(60)'), { signal: abort.signal });
    const cancelled = expect(sleeping).rejects.toMatchObject({ code: 'CANCELLED' });
    const database = new URL(store.databaseUrl).pathname.slice(1);
    const asleep = "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND query LIKE '%pg_sleep%' AND state = 'active'";
    await until(async () => (await store.query(asleep, [database])).length > 0);
    abort.abort();
    await cancelled;
    await expect(single.transaction(async () => 1, { signal: abort.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(await single.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('passes on the AppError with which its signal was aborted', async () => {
    const reason = new AppError('LEASE_LOST', 'Another worker took over.');
    const aborted = store.transaction(async () => 1, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
  });
});

describe('a connection that dies', () => {
  test('in the middle of a transaction is reported and never used again', async () => {
    await using single = overOneConnection();
    const [backend] = await single.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const dying = single.transaction(async (tx) => {
      await insert(tx, 1);
      await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    await expect(dying).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const [next] = await single.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(next?.pid).not.toBe(backend?.pid);
    expect(await ids()).toEqual([]);
  });

  test('while it is idle does no harm', async () => {
    await using single = overOneConnection();
    const pid = async () => (await single.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]?.pid ?? 0;
    const idle = await pid();
    await store.execute('SELECT pg_terminate_backend($1)', [idle]);
    expect(await until(() => pid().catch(() => undefined))).not.toBe(idle);
  });
});

describe('an error of the store', () => {
  test.each([
    ['STORE_UNIQUE', "INSERT INTO notes VALUES (1, 'again')"],
    ['STORE_DATA', "INSERT INTO notes VALUES (2, E'\\\\x00'::bytea::text::int::text)"],
    ['STORE_DATA', 'INSERT INTO notes VALUES (2, NULL)'],
    ['STORE_DATA', 'SELECT 1 / (id - 1) FROM notes'],
    ['INTERNAL', 'SELECT nothing FROM notes'],
  ])('is %s for %s', async (code, statement) => {
    await store.execute("INSERT INTO notes VALUES (1, '')");
    await expect(store.query(statement)).rejects.toMatchObject({ code, name: 'AppError' });
    await expect(store.orm.execute(sql.raw(statement))).rejects.toMatchObject({ code, name: 'AppError' });
  });

  test('does not print the values of the statement', async () => {
    await store.execute("INSERT INTO notes VALUES (1, '')");
    const failing = store.orm.insert(notes).values({ id: 1, body: 'hunter2' });
    await expect(failing).rejects.toSatisfy((error: AppError) => !JSON.stringify(error.message).includes('hunter2'));
  });

  test('is STORE_UNAVAILABLE when nobody listens', async () => {
    const url = new URL(store.databaseUrl);
    url.port = '1';
    await using nowhere = openStore({ databaseUrl: new Secret(url.href), poolSize: 1, log: createLog('silent') });
    await expect(nowhere.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(store.ping()).resolves.toBeUndefined();
  });
});

describe('values', () => {
  test('come back without loss, whatever the zone of the process', async () => {
    const time = new Date('1883-11-18T12:00:00.123Z');
    const [row] = await store.query(
      `SELECT $1::int8 AS big, $2::numeric AS exact, $3::timestamptz AS time, $4::date AS day,
              $5::timestamp AS wall, $6::int8[] AS bigs, $7::text[] AS texts, $8::bytea AS bytes`,
      [
        2n ** 63n - 1n,
        '0.1000',
        time,
        '2024-02-29',
        '2024-03-10T02:30:00.000001',
        [1n, -(2n ** 63n)],
        ['a"b', null],
        new Uint8Array([0, 255]),
      ],
    );
    expect(row).toEqual({
      big: 2n ** 63n - 1n,
      exact: '0.1000',
      time,
      day: '2024-02-29',
      wall: '2024-03-10 02:30:00.000001',
      bigs: [1n, -(2n ** 63n)],
      texts: ['a"b', null],
      bytes: Buffer.from([0, 255]),
    });
    expect(await store.query('SHOW timezone')).toEqual([{ TimeZone: 'UTC' }]);
  });
});

describe('a session', () => {
  test.each([
    ['off', 'on'],
    ['local', 'local'],
    ['remote_write', 'remote_write'],
    ['remote_apply', 'remote_apply'],
  ])('of a server that commits with synchronous_commit = %s does so with %s', async (given, used) => {
    const url = new URL(store.databaseUrl);
    url.searchParams.set('options', `-c synchronous_commit=${given}`);
    await using opened = openStore({ databaseUrl: new Secret(url.href), poolSize: 1, log: createLog('silent') });
    expect(await opened.query('SHOW synchronous_commit')).toEqual([{ synchronous_commit: used }]);
  });
});

/** Resolves for all when `parties` have called it; later callers do not wait. */
function meeting(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= parties) resolve();
    return promise;
  };
}
