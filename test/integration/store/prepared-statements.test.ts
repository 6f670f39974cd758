import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { openStore, type Sql, type Store } from '../../../src/store/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let database: Store;
let store: Store;
beforeAll(async () => {
  database = await openTestStore({ poolSize: 1 });
  store = overOneConnection();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await store.execute('DROP TABLE IF EXISTS notes');
  await store.execute('CREATE TABLE notes (id int PRIMARY KEY, body text)');
});

/** Opens the same database through a connection of its own, where a second takes for ever. */
function overOneConnection(options: { readonly isPrepared?: boolean } = {}): Store {
  const databaseUrl = new Secret(database.databaseUrl);
  return openStore({ databaseUrl, poolSize: 1, log: createLog('silent'), clock: { nowMs: () => 0 }, ...options });
}

const preparedIn = async (sql: Sql): Promise<readonly string[]> =>
  (await sql.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements ORDER BY 1')).map(
    ({ statement }) => statement,
  );

const READ = 'SELECT id, body FROM notes WHERE id = $1';
const INSERT = 'INSERT INTO notes VALUES ($1, $2)';

test('a statement that a session runs often is prepared there once, and one that it runs once is not', async () => {
  await store.transaction(async (tx) => {
    for (const id of [1, 2, 3]) await tx.execute(INSERT, [id, `note ${id}`]);
    await tx.query(READ, [1]);
    expect(await preparedIn(tx)).toEqual([INSERT]);
    for (const id of [2, 3]) expect(await tx.query(READ, [id])).toEqual([{ id, body: `note ${id}` }]);
    expect(await preparedIn(tx)).toEqual([INSERT, READ]);
  });
});

test('texts that vary do not fill the server', async () => {
  await store.transaction(async (tx) => {
    for (let index = 0; index < 200; index++)
      for (let use = 0; use < 2; use++) await tx.query(`SELECT $1::int + ${index} AS sum`, [1]);
    expect((await preparedIn(tx)).length).toBeLessThanOrEqual(64);
    expect(await tx.query('SELECT $1::int + 0 AS sum', [1])).toEqual([{ sum: 1 }]);
  });
});

test('an error leaves neither a name that is missing nor one that stays', async () => {
  const lost = store.transaction(async (tx) => {
    for (const id of [1, 2]) await tx.execute(INSERT, [id, '']);
    await tx.query(READ, [1]);
    // the second use of READ would be prepared, but the transaction has failed by then
    await tx.execute(INSERT, [1, '']).catch(() => undefined);
    await tx.query(READ, [1]).catch(() => undefined);
    await tx.query(READ, [1]);
  });
  await expect(lost).rejects.toMatchObject({ code: 'INTERNAL' });
  await store.transaction(async (tx) => {
    for (const id of [1, 2, 3]) await tx.execute(INSERT, [id, '']);
    for (const id of [1, 2, 3]) expect(await tx.query(READ, [id])).toEqual([{ id, body: '' }]);
    expect(await preparedIn(tx)).toEqual([INSERT, READ]);
  });
});

test('a table that changes between two uses is read as it is now, alone and in a transaction', async () => {
  await using other = overOneConnection();
  await store.execute(INSERT, [1, '7']);
  const change = (type: string) => other.execute(`ALTER TABLE notes ALTER body TYPE ${type} USING body::${type}`);
  const use = async (sql: Sql) => (await sql.query<{ body: unknown }>(READ, [1]))[0]?.body;
  await use(store);
  expect([await use(store), await use(store)]).toEqual(['7', '7']);
  await change('int');
  expect(await use(store)).toBe(7);
  await use(store);
  await use(store);
  await change('text');
  let attempts = 0;
  const read = await store.transaction((tx) => {
    attempts += 1;
    return use(tx);
  });
  expect({ read, attempts }).toEqual({ read: '7', attempts: 2 });
});

test('a plan that was made while an index was forbidden is not used where it is allowed', async () => {
  await store.execute("INSERT INTO notes SELECT i, 'x' FROM generate_series(1, 5000) i");
  await store.execute('ANALYZE notes');
  const explain = `EXPLAIN ${READ}`;
  const planOf = async (sql: Sql) => JSON.stringify(await sql.query(explain, [1]));
  await store.transaction(async (tx) => {
    expect(await planOf(tx)).toContain('Index Scan');
    await tx.execute('SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off');
    await tx.query(READ, [1]);
    await tx.query(READ, [1]);
    expect(await preparedIn(tx)).toEqual([READ]);
  });
  await store.transaction(async (tx) => {
    for (let use = 0; use < 3; use++) await tx.query(READ, [1]);
    // two plans of one text: each under its own settings
    expect(await preparedIn(tx)).toEqual([READ, READ]);
  });
});

test('a server that lost its prepared statements, as behind a pooler, is told apart and the setting is named', async () => {
  const lost = store.transaction(async (tx) => {
    for (const id of [1, 2]) await tx.query(READ, [id]);
    await tx.execute('DEALLOCATE ALL');
    await tx.query(READ, [3]);
  });
  await expect(lost).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringMatching(/pooler.*PENSTOCK_STORE_PREPARED/),
  });
  await using plain = overOneConnection({ isPrepared: false });
  await plain.transaction(async (tx) => {
    for (const id of [1, 2, 3]) await tx.query(READ, [id]);
    expect(await preparedIn(tx)).toEqual([]);
  });
});

test('every text and number arrives as it was given, alone and in a list', async () => {
  const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
  const texts = fc.array(fc.oneof(text, fc.constantFrom(null, 'NULL', '', '"', '\\', '{}', ',', ' a ')));
  const bigints = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }));
  await fc.assert(
    fc.asyncProperty(fc.record({ one: text, many: texts, bigints, bytes: fc.uint8Array() }), async (given) => {
      const rows = await store.query(
        'SELECT $1::text AS one, $2::text[] AS many, $3::int8[] AS bigints, $4::bytea AS bytes, $5::bool AS yes',
        [given.one, given.many, given.bigints, given.bytes, true],
      );
      expect(rows).toEqual([{ ...given, bytes: Buffer.from(given.bytes), yes: true }]);
    }),
    { numRuns: 50 },
  );
});
