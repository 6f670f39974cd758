// One embedded PostgreSQL for the run, without fsync, with a migrated database that every test clones.
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { createLog, Secret } from '../../src/kernel/index.ts';
import { ensureCluster } from '../../src/store/embedded/cluster.ts';
import { stopOrphan } from '../../src/store/embedded/orphan.ts';
import { placeBinaries, placeData } from '../../src/store/embedded/place.ts';
import { chooseFreePort } from '../../src/store/embedded/port.ts';
import { processMark } from '../../src/store/embedded/process-mark.ts';
import { startServer } from '../../src/store/embedded/server-process.ts';
import { findServerUser } from '../../src/store/embedded/server-user.ts';
import { migrateStore } from '../../src/store/migrate.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server's maintenance database; `openTestStore` clones the template through it. */
    readonly storeUrl: string;
  }
}

const PREFIX = 'penstock-test-';
const RUNNER_FILE = 'runner.json';
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
  'max_wal_size=4GB',
  'autovacuum=off',
  'deadlock_timeout=50ms',
  'log_min_messages=log',
];

/** What a run leaves in its folder, so that the next one can clear up after it when it was killed. */
interface Runner {
  readonly pid: number;
  readonly folder: string;
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearKilledRuns();
  const home = await mkdtemp(join(tmpdir(), PREFIX));
  await chmod(home, 0o711);
  const user = await findServerUser();
  const folder = await placeData(home, user, log);
  await writeFile(join(home, RUNNER_FILE), JSON.stringify({ pid: process.pid, folder } satisfies Runner));
  const cluster = { binaries: await placeBinaries(user, log), folder, user };
  const password = new Secret(randomUUID());
  await ensureCluster(cluster, password);
  const port = await chooseFreePort();
  const server = await startServer({ cluster, port, logFile: join(home, 'store.log'), settings: SETTINGS });
  const url = (database: string) => `postgres://penstock:${password.reveal()}@127.0.0.1:${port}/${database}`;
  const end = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  };
  try {
    await run(url('postgres'), `CREATE DATABASE ${TEMPLATE}`);
    await migrateStore(new Secret(url(TEMPLATE)), log);
  } catch (error) {
    await end();
    throw error;
  }
  project.provide('storeUrl', url('postgres'));
  return end;
}

/** A run that was killed could not stop its server. */
async function clearKilledRuns(): Promise<void> {
  const homes = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX)).map((name) => join(tmpdir(), name));
  for (const home of homes) {
    const text = await readFile(join(home, RUNNER_FILE), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { pid, folder } = JSON.parse(text) as Runner;
    if ((await processMark(pid)) !== undefined) continue;
    await stopOrphan({ folder, binaries: '', user: undefined }, log);
    await rm(folder, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  }
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
