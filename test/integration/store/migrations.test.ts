import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { migrateStore, type Store } from '../../../src/store/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const log = createLog('silent');
const FIRST = ['CREATE TABLE first (step int)'];
const SECOND = ['INSERT INTO first VALUES (2)'];
const THIRD = ['INSERT INTO first VALUES (3)', 'ALTER TABLE first RENAME COLUMN step TO number'];

const migrate = (store: Store, folder?: string) => migrateStore(new Secret(store.databaseUrl), log, folder);
const tables = async (store: Store) => {
  const rows = await store.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  return rows.map(({ name }) => name).sort();
};
const versions = async (store: Store) => {
  const rows = await store.query<{ version: bigint }>(
    'SELECT created_at AS version FROM drizzle.__drizzle_migrations ORDER BY id',
  );
  return rows.map(({ version }) => Number(version));
};

test('make the whole schema of an empty store', async () => {
  await using empty = await openTestStore({ empty: true });
  await using migrated = await openTestStore();
  await migrate(empty);
  expect(await tables(empty)).toEqual(await tables(migrated));
  expect(await versions(empty)).toEqual(await versions(migrated));
});

test('run in order, and only those that the store lacks', async () => {
  await using store = await openTestStore({ empty: true });
  await using old = await makeMigrations(FIRST);
  await using own = await makeMigrations(FIRST, SECOND, THIRD);
  await migrate(store, old.folder);
  await migrate(store, own.folder);
  expect(await store.query('SELECT number FROM first')).toEqual([{ number: 2 }, { number: 3 }]);
  expect(await versions(store)).toEqual([1000, 2000, 3000]);
});

test('are applied once when several daemons start at the same time', async () => {
  await using store = await openTestStore({ empty: true });
  await using own = await makeMigrations(FIRST, SECOND, THIRD);
  await Promise.all([migrate(store, own.folder), migrate(store, own.folder), migrate(store, own.folder)]);
  expect(await store.query('SELECT number FROM first')).toEqual([{ number: 2 }, { number: 3 }]);
  expect(await versions(store)).toEqual([1000, 2000, 3000]);
});

test('are refused with STORE_NEWER, touching nothing, when a newer program was here', async () => {
  await using store = await openTestStore();
  const future = Date.UTC(2100, 0, 1);
  await store.execute("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ('x', $1)", [future]);
  const before = await versions(store);
  await expect(migrate(store)).rejects.toMatchObject({
    code: 'STORE_NEWER',
    message: expect.stringContaining('2100-01-01'),
  });
  expect(await versions(store)).toEqual(before);
});

test('are refused, touching nothing, on a store that lacks migrations which are not there any more', async () => {
  await using store = await openTestStore();
  await store.execute('UPDATE drizzle.__drizzle_migrations SET created_at = $1', [Date.UTC(2026, 0, 1)]);
  await expect(migrate(store)).rejects.toMatchObject({
    code: 'STORE_START',
    message: expect.stringMatching(/unreleased Penstock \(version 2026-01-01T00:00:00.000Z\).*Use a new store/),
  });
  expect(await versions(store)).toEqual([Date.UTC(2026, 0, 1)]);
});

test('leave the store as it was when one of them fails', async () => {
  await using store = await openTestStore({ empty: true });
  await using old = await makeMigrations(FIRST);
  await using broken = await makeMigrations(FIRST, SECOND, ['CREATE TABLE half (id int)', 'DROP TABLE nowhere']);
  await using mended = await makeMigrations(FIRST, SECOND, THIRD);
  await migrate(store, old.folder);
  await expect(migrate(store, broken.folder)).rejects.toMatchObject({ message: expect.stringContaining('nowhere') });
  expect(await tables(store)).toEqual(['first']);
  expect(await store.query('SELECT step FROM first')).toEqual([]);
  expect(await versions(store)).toEqual([1000]);
  await migrate(store, mended.folder);
  expect(await versions(store)).toEqual([1000, 2000, 3000]);
});

/** Makes a folder of migrations, each a list of statements; their versions are 1000, 2000 and so on. */
async function makeMigrations(...migrations: readonly (readonly string[])[]) {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-migrations-'));
  const entries = migrations.map((_, idx) => ({ idx, version: '7', when: (idx + 1) * 1000, tag: `000${idx}_made` }));
  await mkdir(join(folder, 'meta'));
  await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ entries }));
  for (const [idx, statements] of migrations.entries()) {
    await writeFile(join(folder, `000${idx}_made.sql`), statements.join(';--> statement-breakpoint\n'));
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
