import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimRequests, requestHash } from '../../../src/events/log/batch-requests.ts';
import { createLog, Secret, workspaceId } from '../../../src/kernel/index.ts';
import { migrateStore, type Store } from '../../../src/store/index.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const MIGRATIONS = join(import.meta.dirname, '..', '..', '..', 'migrations');
const log = createLog('silent');

const migrate = (store: Store, folder?: string) => migrateStore(new Secret(store.databaseUrl), log, folder);
const tables = async (store: Store) =>
  (await store.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'")).length;
const versions = (store: Store) => store.query('SELECT created_at FROM drizzle.__drizzle_migrations ORDER BY 1');

test('are applied once when several daemons start at the same time', async () => {
  await using store = await openTestStore({ empty: true });
  await Promise.all([migrate(store), migrate(store), migrate(store)]);
  expect(await tables(store)).toBeGreaterThan(10);
  const journal = JSON.parse(await readFile(join(MIGRATIONS, 'meta', '_journal.json'), 'utf8'));
  expect(await versions(store)).toHaveLength(journal.entries.length);
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

test('leave the store as it was when one of them fails', async () => {
  await using store = await openTestStore();
  const folder = await mkdtemp(join(tmpdir(), 'penstock-migrations-'));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    const path = join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(await readFile(path, 'utf8'));
    const entry = { idx: 999, version: '7', when: Date.UTC(2100, 0, 1), tag: '0999_broken', breakpoints: true };
    await writeFile(path, JSON.stringify({ ...journal, entries: [...journal.entries, entry] }));
    await writeFile(
      join(folder, '0999_broken.sql'),
      'CREATE TABLE half (id int);--> statement-breakpoint\nALTER TABLE nowhere ADD COLUMN x int;',
    );
    const before = await tables(store);
    await expect(migrate(store, folder)).rejects.toMatchObject({ message: expect.stringContaining('nowhere') });
    expect(await tables(store)).toBe(before);
    await expect(migrate(store)).resolves.toBeUndefined();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what was written back before it was known where waits for the next run of its pipeline', async () => {
  await using store = await openTestStore({ empty: true });
  await migrateAround(store, '_written-back-tables', () => seedWrittenBack(store));
  expect(
    await store.query(
      `SELECT written.pipeline_id, written.connection_id, written.table_name, erased.mpid FROM written_back_tables AS written
       LEFT JOIN erased_mpids AS erased ON erased.table_id = written.id`,
    ),
  ).toEqual([{ pipeline_id: 'living', connection_id: 'warehouse', table_name: '', mpid: 7n }]);
});

test('a request that was named before the environments were told apart counts in both', async () => {
  await using store = await openTestStore({ empty: true });
  const named = { key: 'key-one', id: 'r' };
  const hash = requestHash({ ...named, environment: 'production' }) ?? '';
  await migrateAround(store, '_request-environments', async () => {
    await store.execute('INSERT INTO batch_requests (workspace_id, hash, received_on) VALUES (1, $1, $2)', [
      ...[hash, new Date(0)],
    ]);
  });
  const hashes = [hash, requestHash({ ...named, environment: 'development' }) ?? ''];
  const claim = { workspaceId: workspaceId(1n), hashes: hashes.toSorted(), receivedMs: 1 };
  expect(await claimRequests(store, claim)).toEqual(new Set());
});

test('rows of the ledger end where the range of their run did, or was to end where a retry forgot it', async () => {
  await using store = await openTestStore({ empty: true });
  await migrateAround(store, '_ledger-columns', () => seedLedgers(store));
  expect(await store.query('SELECT run_id, ends_before, columns FROM run_chunks ORDER BY run_id')).toEqual([
    { run_id: 1n, ends_before: '2026-01-15T12:00:00.000000Z', columns: null },
    { run_id: 2n, ends_before: '2026-01-15T13:00:00.000000Z', columns: null },
    { run_id: 3n, ends_before: null, columns: null },
  ]);
});

/** Migrates up to the migration whose name ends so, fills the store, and migrates it on. */
async function migrateAround(store: Store, migration: string, fill: () => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-migrations-'));
  try {
    await cp(MIGRATIONS, folder, { recursive: true });
    const path = join(folder, 'meta', '_journal.json');
    const journal = JSON.parse(await readFile(path, 'utf8')) as { entries: { tag: string }[] };
    const until = journal.entries.findIndex(({ tag }) => tag.endsWith(migration));
    await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, until) }));
    await migrate(store, folder);
    await fill();
    await migrate(store);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Two pipelines that have written, one of them deleted, and an MPID that waits for each. */
async function seedWrittenBack(store: Store): Promise<void> {
  const at = new Date(0);
  await store.execute(
    `INSERT INTO connections (workspace_id, id, name, state, provider, config, created_on, created_by)
     VALUES (1, 'warehouse', '', 'active', 'DuckDB', '{}', $1, '')`,
    [at],
  );
  await store.execute(
    `INSERT INTO pipelines (workspace_id, id, name, pipeline_type, connection_id, state, environment, sync_mode, schedule,
       kept, warnings, generation, failed_in_a_row, deleted_on, created_on, created_by)
     SELECT 1, id, '', 'user_attributes', connection_id, 'active', 'production', '{}', '{}', '{}', '[]', 0, 0, deleted_on, $1, ''
     FROM unnest(ARRAY['living', 'deleted'], ARRAY['warehouse', NULL], ARRAY[NULL, $1::timestamptz]) AS given (id, connection_id, deleted_on)`,
    [at],
  );
  await store.execute(
    'INSERT INTO written_back_pipelines (workspace_id, pipeline_number, since) SELECT 1, number, $1 FROM pipelines',
    [at],
  );
  await store.execute(
    'INSERT INTO erased_mpids (workspace_id, pipeline_number, mpid, erased_on) SELECT 1, number, 7, $1 FROM pipelines',
    [at],
  );
}

/** Chunks of a run with a range, of one whose range is not there any more, and of one that never had any. */
async function seedLedgers(store: Store): Promise<void> {
  const at = new Date(0);
  await store.execute(
    `INSERT INTO pipelines (workspace_id, id, name, pipeline_type, state, environment, sync_mode, schedule, kept, warnings,
       generation, failed_in_a_row, deleted_on, created_on, created_by)
     VALUES (1, 'visits', '', 'events', 'active', 'production', '{}', '{}', '{}', '[]', 0, 0, $1, $1, '')`,
    [at],
  );
  await store.execute(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
       logical_date, created_on, nominal_end, range_end, extracted_records, successful_records, failed_records,
       deduplicated_records, erased_records)
     SELECT 1, number, 'warehouse', 'manual', 'failed', 1, 1, '[]', '[]', $1, $1, nominal_end, range_end, 0, 0, 0, 0, 0
     FROM pipelines, unnest(
       ARRAY['2026-01-15T12:00:00.000000Z', '2026-01-15T13:00:00.000000Z', NULL],
       ARRAY['2026-01-15T12:00:00.000000Z', NULL, NULL]) AS given (nominal_end, range_end)`,
    [at],
  );
  await store.execute(
    `INSERT INTO run_chunks (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated)
     SELECT workspace_id, pipeline_number, 0, id, 0, '\\x00', '' FROM pipeline_runs`,
  );
}
