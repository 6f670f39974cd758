// Reads the catalog of a migrated store: what would not survive distribution by workspace_id is found here.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import { REFERENCE_TABLES } from '../../support/stores/distribution-rules.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let store: Store;
let tables: readonly string[];
let tenantTables: readonly string[];
beforeAll(async () => {
  store = await openTestStore();
  const rows = await store.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  tables = rows.map(({ name }) => name).sort();
  tenantTables = tables.filter((name) => REFERENCE_TABLES[name] === undefined);
});
afterAll(() => store[Symbol.asyncDispose]());

interface Key {
  readonly table: string;
  readonly name: string;
  readonly primary: boolean;
  readonly columns: readonly string[];
}

const UNIQUE_KEYS = `
  SELECT t.relname AS table, i.relname AS name, x.indisprimary AS primary,
         ARRAY(SELECT a.attname::text FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k(number, place)
               JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number ORDER BY k.place) AS columns
  FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
  WHERE t.relnamespace = 'public'::regnamespace AND x.indisunique`;

interface ForeignKey {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly onDelete: string;
  readonly pairs: readonly string[];
}

const FOREIGN_KEYS = `
  SELECT c.conname AS name, c.conrelid::regclass::text AS from, c.confrelid::regclass::text AS to,
         c.confdeltype::text AS "onDelete",
         ARRAY(SELECT a.attname || '=' || b.attname FROM unnest(c.conkey, c.confkey) AS k(own, other)
               JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.own
               JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = k.other) AS pairs
  FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace`;

test('the list of reference tables names only tables that are there', () => {
  expect(Object.keys(REFERENCE_TABLES).filter((name) => !tables.includes(name))).toEqual([]);
  expect(tenantTables.length).toBeGreaterThan(5);
});

test('every tenant table has a workspace_id that is bigint and never null', async () => {
  const rows = await store.query<{ table: string }>(
    `SELECT c.relname AS table FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE c.relname = ANY($1) AND a.attname = 'workspace_id' AND a.atttypid = 'int8'::regtype AND a.attnotnull`,
    [tenantTables],
  );
  expect(rows.map(({ table }) => table).sort()).toEqual(tenantTables);
});

test('every tenant table has a primary key, and it and every unique key begin with workspace_id', async () => {
  const keys = await store.query<Key>(UNIQUE_KEYS);
  const ofTenants = keys.filter(({ table }) => tenantTables.includes(table));
  expect(ofTenants.filter(({ columns }) => columns[0] !== 'workspace_id')).toEqual([]);
  const primary = ofTenants.filter((key) => key.primary).map(({ table }) => table);
  expect(primary.sort()).toEqual(tenantTables);
});

test('foreign keys stay within a workspace or lead to a reference table, and none is set to null', async () => {
  const keys = await store.query<ForeignKey>(FOREIGN_KEYS);
  expect(keys.length).toBeGreaterThan(5);
  const isTenant = (table: string) => tenantTables.includes(table);
  const wrong = keys.filter(({ from, to, pairs, onDelete }) => {
    const leavesWorkspace = isTenant(to) && !pairs.includes('workspace_id=workspace_id');
    const fromReference = !isTenant(from) && isTenant(to);
    return leavesWorkspace || fromReference || (isTenant(from) && onDelete === 'n');
  });
  expect(wrong).toEqual([]);
});

test('there are no triggers, rules or inheritance', async () => {
  const rows = await store.query(
    `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
     UNION ALL SELECT rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'v'
     UNION ALL SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`,
  );
  expect(rows).toEqual([]);
});

test('defaults are constants: no function is called on a node that another one does not know of', async () => {
  const rows = await store.query<{ place: string; value: string }>(
    `SELECT d.adrelid::regclass || '.' || a.attname AS place, pg_get_expr(d.adbin, d.adrelid) AS value
     FROM pg_attrdef d JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
     JOIN pg_class c ON c.oid = d.adrelid WHERE c.relnamespace = 'public'::regnamespace`,
  );
  expect(rows.filter(({ value }) => /\w\s*\(|current_/i.test(value))).toEqual([]);
});

test('profiles keep room on their pages, so that updates stay there', async () => {
  const rows = await store.query("SELECT reloptions AS options FROM pg_class WHERE relname = 'profiles'");
  expect(rows).toEqual([{ options: ['fillfactor=50'] }]);
});

test('the log of batches is divided by time of receipt, and nothing is refused for want of a partition', async () => {
  const rows = await store.query(
    `SELECT pg_get_partkeydef('event_batches'::regclass) AS key, pg_get_expr(c.relpartbound, c.oid) AS bound
     FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid WHERE h.inhparent = 'event_batches'::regclass`,
  );
  expect(rows).toEqual([{ key: 'RANGE (received_on)', bound: 'DEFAULT' }]);
});
