// Two embedded PostgreSQL for the run, without fsync: the store, with a migrated database that every test clones, and a
// server of its own for warehouses, because a store is never its own warehouse.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { type Cluster, ensureCluster } from '../../../src/store/embedded/cluster.ts';
import { placeBinaries, placeData } from '../../../src/store/embedded/place.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { type ServerProcess, startServer } from '../../../src/store/embedded/server-process.ts';
import { findServerUser } from '../../../src/store/embedded/server-user.ts';
import { migrateStore } from '../../../src/store/migrate.ts';
import { clearKilledRuns, PREFIX, RUNNER_FILE, type Runner } from '../crashes/clear-killed-runs.ts';
import { clusterParents } from '../runner/cluster-parent.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server's maintenance database; `openTestStore` clones the template through it. */
    readonly storeUrl: string;
    /** Of another server, for a superuser; `openPostgresWarehouse` makes databases there. */
    readonly warehouseUrl: string;
  }
}

const log = createLog('silent');

export const TEMPLATE = 'penstock_template';
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=400',
  'shared_buffers=256MB',
  'max_wal_size=1GB',
  'autovacuum=off',
  'deadlock_timeout=50ms',
  'scram_iterations=1',
  'log_min_messages=log',
];

const WAREHOUSE_SETTINGS = ['max_connections=100', 'shared_buffers=64MB'];
/** Whom connections of tests sign in as. */
export const READER = { user: 'reader', password: 'a reader’s password' };
const CREATE_READER = `CREATE ROLE ${READER.user} LOGIN PASSWORD '${READER.password}'`;

/** Tests connect thousands of times, and 4,096 rounds of hashing for each protect nothing here. */
const cheapPassword = (password: Secret) => `ALTER ROLE penstock PASSWORD '${password.reveal()}'`;

interface Servers {
  readonly storeUrl: string;
  readonly warehouseUrl: string;
  readonly end: () => Promise<void>;
}

/** One pair for all projects of the run, each of which loads this file anew. */
const RUN = globalThis as { penstockServers?: Promise<Servers>; penstockServersUsers?: number };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  RUN.penstockServersUsers = (RUN.penstockServersUsers ?? 0) + 1;
  RUN.penstockServers ??= startServers();
  const { storeUrl, warehouseUrl, end } = await RUN.penstockServers;
  project.provide('storeUrl', storeUrl);
  project.provide('warehouseUrl', warehouseUrl);
  return async () => {
    RUN.penstockServersUsers = (RUN.penstockServersUsers ?? 0) - 1;
    if (RUN.penstockServersUsers === 0) await end();
  };
}

async function startServers(): Promise<Servers> {
  await clearKilledRuns();
  const home = await mkdtemp(join(clusterParents()[0] ?? tmpdir(), PREFIX));
  const { store, warehouse, password } = await makeClusters(home);
  const servers: ServerProcess[] = [];
  const start = async (cluster: Cluster, settings: readonly string[]) => {
    const port = await chooseFreePort();
    servers.push(
      await startServer({ cluster, port, logFile: join(home, `${basename(cluster.folder)}.log`), settings }),
    );
    return (database: string) => `postgres://penstock:${password.reveal()}@127.0.0.1:${port}/${database}`;
  };
  const end = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    for (const folder of [store.folder, warehouse.folder, home]) await rm(folder, { recursive: true, force: true });
  };
  try {
    const storeUrl = await start(store, SETTINGS);
    const warehouseUrl = await start(warehouse, [...SETTINGS, ...WAREHOUSE_SETTINGS]);
    for (const url of [storeUrl('postgres'), warehouseUrl('postgres')]) await run(url, cheapPassword(password));
    await run(storeUrl('postgres'), `CREATE DATABASE ${TEMPLATE}`);
    await migrateStore(new Secret(storeUrl(TEMPLATE)), log);
    await run(warehouseUrl('postgres'), CREATE_READER);
    return { storeUrl: storeUrl('postgres'), warehouseUrl: warehouseUrl('postgres'), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The second is a copy of the first: cheaper than to make it from nothing. */
async function makeClusters(home: string) {
  await chmod(home, 0o711);
  const user = await findServerUser();
  const binaries = await placeBinaries(user, log);
  const folder = await placeData(home, user, log);
  const copy = `${folder}-warehouse`;
  await writeFile(
    join(home, RUNNER_FILE),
    JSON.stringify({ pid: process.pid, folders: [folder, copy] } satisfies Runner),
  );
  const store = { binaries, folder, user };
  const password = new Secret(randomUUID());
  await ensureCluster(store, { password, syncsToDisk: false });
  await promisify(execFile)('cp', ['-a', folder, copy]);
  return { store, warehouse: { ...store, folder: copy }, password };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
