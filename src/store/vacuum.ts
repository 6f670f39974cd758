import type { Pool, PoolClient } from 'pg';
import { asAppError, type ErrorCode } from '../kernel/index.ts';
import { cancelOnAbort, throwIfAborted } from './cancel-on-abort.ts';
import type { Sql } from './contract.ts';
import { storeError } from './errors.ts';
import { lend } from './transaction.ts';

/** The result of a vacuum. */
export interface Vacuumed {
  /** Tables that were not vacuumed, each with the code of the error; undefined: the store's role may not vacuum it. */
  readonly left: readonly { readonly table: string; readonly code?: ErrorCode }[];
  /**
   * Age of the oldest transaction that was open beforehand; rows that were deleted since it began may still be in the files.
   */
  readonly oldestOpenMs: number;
}

/** The pace of autovacuum. An unthrottled vacuum would slow other work down. */
const SLOWLY = 'SET vacuum_cost_delay = 2';
const AS_EVER = 'RESET vacuum_cost_delay';

/**
 * Vacuums each table that holds text, partitions and what lies in TOAST included, one after the other and at the pace of
 * autovacuum: reads and writes go on beside it. A page in which nothing was written since its last vacuum is not read. A
 * table that fails is left, and the others are vacuumed. Throws STORE_UNAVAILABLE, and CANCELLED on an abort.
 */
export async function vacuumTexts(pool: Pool, signal: AbortSignal): Promise<Vacuumed> {
  throwIfAborted(signal);
  const client = await lend(pool);
  const abort = cancelOnAbort(pool, client, signal);
  let intact = false;
  try {
    const oldestOpenMs = await readOldestOpen(client);
    await client.query(SLOWLY);
    const left = await vacuumEach(client, await textTables(client), signal);
    await client.query(AS_EVER);
    intact = true;
    return { left, oldestOpenMs };
  } catch (error) {
    throwIfAborted(signal);
    throw storeError(error);
  } finally {
    await abort.settled();
    client.release(!intact);
  }
}

async function vacuumEach(client: PoolClient, tables: readonly string[], signal: AbortSignal) {
  const left: { table: string; code?: ErrorCode }[] = [];
  for (const table of tables) {
    throwIfAborted(signal);
    try {
      if (await hasWarned(client, () => client.query(`VACUUM (PARALLEL 0) ${table}`))) left.push({ table });
    } catch (error) {
      throwIfAborted(signal);
      left.push({ table, code: asAppError(storeError(error)).code });
    }
  }
  return left;
}

/** Returns whether the work raised a warning, as PostgreSQL does where it skips a table of another owner. */
async function hasWarned(client: PoolClient, work: () => Promise<unknown>): Promise<boolean> {
  let warnings = 0;
  const count = () => {
    warnings += 1;
  };
  client.on('notice', count);
  try {
    await work();
  } finally {
    client.off('notice', count);
  }
  return warnings > 0;
}

/** Tables without text hold numbers and keyed hashes alone. */
const TEXT_TABLES = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname = current_schema()
    AND EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                  AND a.atttypid IN ('text'::regtype, 'text[]'::regtype, 'json'::regtype, 'jsonb'::regtype, 'bytea'::regtype))`;

async function textTables(client: PoolClient): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(`${TEXT_TABLES} ORDER BY 1`);
  return rows.map(({ name }) => name);
}

/** PostgreSQL 17 came with a privilege for it; before, the owners of the table and of the database alone vacuum it. */
const MAY_VACUUM = `
  CASE WHEN current_setting('server_version_num')::int4 >= 170000 THEN has_table_privilege(c.oid, 'MAINTAIN')
    ELSE pg_has_role(c.relowner, 'USAGE') END
  OR EXISTS (SELECT 1 FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'USAGE'))`;

/** Returns the tables with text that the store's role may not vacuum, by name. */
export async function tablesNotToVacuum(sql: Sql): Promise<readonly string[]> {
  const rows = await sql.query<{ readonly name: string }>(`${TEXT_TABLES} AND NOT (${MAY_VACUUM}) ORDER BY 1`);
  return rows.map(({ name }) => name);
}

/**
 * Returns the age of the oldest open transaction among those that the store's role may see, by the clock of the store alone.
 */
async function readOldestOpen(client: PoolClient): Promise<number> {
  const { rows: open } = await client.query<{ readonly since: Date | null }>(
    `SELECT min(xact_start) AS since FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  const { rows: clock } = await client.query<{ readonly now: Date }>('SELECT clock_timestamp() AS now');
  const [since, now] = [open[0]?.since, clock[0]?.now];
  return since === undefined || since === null || now === undefined ? 0 : now.getTime() - since.getTime();
}
