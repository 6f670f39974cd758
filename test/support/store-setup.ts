// One embedded PostgreSQL for the run, without fsync, with a migrated database that every test clones.
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { createLog, Secret } from '../../src/kernel/index.ts';
import { ensureCluster } from '../../src/store/embedded/cluster.ts';
import { placeBinaries, placeData } from '../../src/store/embedded/place.ts';
import { startServer } from '../../src/store/embedded/server-process.ts';
import { findServerUser } from '../../src/store/embedded/server-user.ts';
import { migrateStore } from '../../src/store/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server's maintenance database; `openTestStore` clones the template through it. */
    readonly storeUrl: string;
  }
}

export const TEMPLATE = 'penstock_template';
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=400',
  'shared_buffers=256MB',
  'max_wal_size=4GB',
  'autovacuum=off',
  'deadlock_timeout=50ms',
  'log_min_messages=log',
];

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLog('silent');
  const home = await mkdtemp(join(tmpdir(), 'penstock-test-'));
  await chmod(home, 0o711);
  const user = await findServerUser();
  const folder = await placeData(home, user, log);
  const cluster = { binaries: await placeBinaries(user, log), folder, user };
  const password = new Secret(randomUUID());
  await ensureCluster(cluster, password);
  const port = await freePort();
  const server = await startServer({ cluster, port, logFile: join(home, 'store.log'), settings: SETTINGS });
  const url = (database: string) => `postgres://penstock:${password.reveal()}@127.0.0.1:${port}/${database}`;
  await run(url('postgres'), `CREATE DATABASE ${TEMPLATE}`);
  await migrateStore(new Secret(url(TEMPLATE)), log);
  project.provide('storeUrl', url('postgres'));
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  };
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
