// PostgreSQL servers of one test's own, for what the servers of the run do not have: certificates of clients, a hot standby.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { createLog, Secret } from '../../../src/kernel/index.ts';
import { type Cluster, dataFolder, ensureCluster, SERVER_ROLE } from '../../../src/store/embedded/cluster.ts';
import { placeBinaries, placeData } from '../../../src/store/embedded/place.ts';
import { chooseFreePort } from '../../../src/store/embedded/port.ts';
import { type ServerProcess, startServer } from '../../../src/store/embedded/server-process.ts';
import { findServerUser } from '../../../src/store/embedded/server-user.ts';
import { PREFIX, RUNNER_FILE, type Runner } from '../crashes/clear-killed-runs.ts';
import { clusterParents } from '../runner/cluster-parent.ts';

const log = createLog('silent');
const SETTINGS = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=16MB'];

export interface ServerPlan {
  /** Files of the data folder by name; they replace what initdb made. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: readonly string[];
}

export interface OwnServers extends AsyncDisposable {
  /** Ports in the order of the plans. */
  readonly ports: readonly number[];
  /** Password of the superuser `penstock`. */
  readonly password: string;
  /** Runs statements as the superuser on the server of that port. */
  seed(port: number, statements: readonly string[]): Promise<void>;
}

/** Starts one server for each plan. All are copies of one new cluster. */
export async function openOwnServers(plans: readonly ServerPlan[]): Promise<OwnServers> {
  const home = await mkdtemp(join(clusterParents()[0] ?? tmpdir(), PREFIX));
  await chmod(home, 0o711);
  const password = new Secret(randomUUID());
  const first = await newCluster(home, password);
  const folders = [first.folder, ...plans.slice(1).map((_, index) => `${first.folder}-${index}`)];
  await writeFile(join(home, RUNNER_FILE), JSON.stringify({ pid: process.pid, folders } satisfies Runner));
  const running: ServerProcess[] = [];
  const dispose = async () => {
    await Promise.all(running.map((server) => server.stop()));
    for (const folder of [...folders, home]) await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const folder of folders.slice(1)) await promisify(execFile)('cp', ['-a', first.folder, folder]);
    const ports: number[] = [];
    for (const [index, plan] of plans.entries()) {
      const port = await chooseFreePort();
      const cluster = { ...first, folder: folders[index] ?? '' };
      await writeFiles(cluster, plan.files ?? {});
      const logFile = join(home, `${index}.log`);
      running.push(await startServer({ cluster, port, logFile, settings: [...SETTINGS, ...(plan.settings ?? [])] }));
      ports.push(port);
    }
    return {
      ports,
      password: password.reveal(),
      seed: (port, statements) => seed(port, password, statements),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function newCluster(home: string, password: Secret): Promise<Cluster> {
  const user = await findServerUser();
  const cluster = { binaries: await placeBinaries(user, log), folder: await placeData(home, user, log), user };
  await ensureCluster(cluster, { password, syncsToDisk: false });
  return cluster;
}

async function writeFiles(cluster: Cluster, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(dataFolder(cluster), name);
    await writeFile(path, text, { mode: 0o600 });
    if (cluster.user !== undefined) await chown(path, cluster.user.uid, cluster.user.gid);
  }
}

async function seed(port: number, password: Secret, statements: readonly string[]): Promise<void> {
  const client = new Client({
    ...{ host: '127.0.0.1', port, database: 'postgres', user: SERVER_ROLE, password: password.reveal() },
  });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
