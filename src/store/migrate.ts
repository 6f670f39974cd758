import { fileURLToPath } from 'node:url';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import { AppError, type Log, messageOf, type Secret } from '../kernel/index.ts';
import type { Sql } from './contract.ts';
import { isForbidden, isLostRace, storeError } from './errors.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));
/** Any number will do as long as it never changes. */
const MIGRATION_LOCK = 7_365_206_011;
/** The first version with all settings that our sessions make. */
const OLDEST_POSTGRES = 14;
const ATTEMPTS = 5;
const NEWEST = 'SELECT max(created_at) AS version FROM drizzle.__drizzle_migrations';

/**
 * Brings the store to this program's version: every migration in one transaction, one statement a message. Daemons that
 * start together take turns. Throws, without touching anything, STORE_NEWER when a newer Penstock was here, and STORE_START
 * when the store lacks migrations that this program does not have any more.
 */
export function migrateStore(databaseUrl: Secret, log: Log, folder: string = MIGRATIONS): Promise<void> {
  return overOwnSession(databaseUrl, log, async (client) => {
    await requirePostgres(client);
    // the one advisory lock there is: migrations run on the coordinator only, and no row exists to lock before the first
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const { oldest, newest } = ownVersions(folder);
    const found = await versionOf(client);
    if (found > newest) throw newerStore(found, newest);
    if (found === newest) return;
    if (found > 0 && found < oldest) throw unreleasedStore(found);
    await migrateAlone(client, folder);
    log.info({ from: found, to: newest }, 'store.migrated');
  });
}

/**
 * Migrates, and repeats a lost attempt. A daemon of an earlier version may run and lock the same tables in another order: one
 * of the two is rolled back.
 */
async function migrateAlone(client: Client, migrationsFolder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrate(drizzle(client), { migrationsFolder });
    } catch (error) {
      if (isForbidden(error)) throw lacksRights(error);
      if (attempt === ATTEMPTS || !isLostRace(storeError(error))) throw error;
    }
  }
}

function lacksRights(cause: unknown): AppError {
  return new AppError(
    'STORE_START',
    `The user of the store lacks rights to create tables: ${storeError(cause).message} Make that user the owner of the database (ALTER DATABASE … OWNER TO …), or GRANT CREATE ON DATABASE and on its schema public.`,
    { cause },
  );
}

/**
 * Tells whether the store of a running daemon is at this program's version; false for an older one, as while that daemon
 * migrates it. A command changes nothing under a living daemon. Throws STORE_NEWER.
 */
export function isAtOwnVersion(databaseUrl: Secret, log: Log): Promise<boolean> {
  return overOwnSession(databaseUrl, log, async (client) => {
    const { newest } = ownVersions(MIGRATIONS);
    const found = await versionOf(client);
    if (found > newest) throw newerStore(found, newest);
    return found === newest;
  });
}

async function requirePostgres(client: Client): Promise<void> {
  const answer = await client.query('SHOW server_version_num');
  const major = Math.floor(Number(answer.rows[0]?.server_version_num) / 10_000);
  if (major >= OLDEST_POSTGRES) return;
  throw new AppError(
    'STORE_START',
    `DATABASE_URL names a PostgreSQL ${major}; Penstock needs ${OLDEST_POSTGRES} or newer.`,
  );
}

async function overOwnSession<Result>(
  databaseUrl: Secret,
  log: Log,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient(databaseUrl);
  client.on('error', (error) => log.debug({ reason: error.message }, 'store.connection_lost'));
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw storeError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Creates the client. The driver reads the files that DATABASE_URL names, such as sslrootcert, right here. */
function createClient(databaseUrl: Secret): Client {
  try {
    return new Client({ connectionString: databaseUrl.reveal(), application_name: 'penstock migration' });
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', `DATABASE_URL cannot be used: ${messageOf(cause)}.`, { cause });
  }
}

/**
 * Returns the versions of this program. A version is the time at which its newest migration was made, ms since 1970; 0 is an
 * empty store.
 */
function ownVersions(folder: string): { readonly oldest: number; readonly newest: number } {
  const files = readMigrationFiles({ migrationsFolder: folder });
  return { oldest: files[0]?.folderMillis ?? 0, newest: files.at(-1)?.folderMillis ?? 0 };
}

async function versionOf(client: Client): Promise<number> {
  const table = await client.query("SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists");
  if (table.rows[0]?.exists !== true) return 0;
  const newest = await client.query(NEWEST);
  return Number(newest.rows[0]?.version ?? 0);
}

/**
 * Verifies that the store still is at this program's version, as when it was opened. Another daemon may have migrated it since,
 * or a backup may have been restored. Throws STORE_NEWER or STORE_UNAVAILABLE.
 */
export async function checkVersion(sql: Pick<Sql, 'query'>): Promise<void> {
  expected ??= ownVersions(MIGRATIONS).newest;
  const [newest] = await sql.query<{ version: bigint | null }>(NEWEST);
  const found = Number(newest?.version ?? 0);
  if (found > expected) throw newerStore(found, expected);
  if (found < expected) {
    throw new AppError(
      'STORE_UNAVAILABLE',
      'The store is older than this Penstock. Restart Penstock to migrate the store.',
    );
  }
}

let expected: number | undefined;

function newerStore(found: number, own: number): AppError {
  const day = (version: number) => new Date(version).toISOString().slice(0, 10);
  return new AppError(
    'STORE_NEWER',
    `The store was migrated to the version of ${day(found)} by a newer Penstock; this one supports the version of ${day(own)}. Install the newer Penstock again, or use another store (DATABASE_URL or PENSTOCK_HOME).`,
  );
}

function unreleasedStore(found: number): AppError {
  return new AppError(
    'STORE_START',
    `The store was created by an unreleased Penstock (version ${new Date(found).toISOString()}) and needs migrations that this version no longer has. Use a new store (DATABASE_URL or PENSTOCK_HOME), or first start the last commit without migrations/0000_baseline.sql on the store.`,
  );
}
