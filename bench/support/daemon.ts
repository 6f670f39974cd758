import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, signIn } from '../../src/cli/api-client.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { attachStore, type Store } from '../../src/store/index.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const PORT = 18_980;

/** The real daemon in a process of its own, in a new home, with an embedded store. */
export interface BenchDaemon extends AsyncDisposable {
  readonly pid: number;
  /** Of the store's main process. */
  readonly storePid: number;
  readonly store: Store;
  readonly api: ApiClient;
  /** Where DuckDB files of the workspace lie. */
  readonly folder: string;
}

export async function startBenchDaemon(settings: Readonly<Record<string, string>> = {}): Promise<BenchDaemon> {
  const home = await mkdtemp(join(tmpdir(), 'penstock-bench-'));
  await chmod(home, 0o755);
  const env = {
    ...process.env,
    PENSTOCK_HOME: home,
    PENSTOCK_PORT: String(PORT),
    PENSTOCK_LOG_LEVEL: 'warn',
    ...settings,
  };
  const made = JSON.parse(execFileSync(process.execPath, [MAIN, 'init', '--json'], { env, encoding: 'utf8' }));
  const daemon = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const baseUrl = `http://127.0.0.1:${PORT}`;
  await untilReady(baseUrl, daemon);
  const store = await attachStore(readConfig(env), createLog('warn'));
  if (store === undefined) throw new Error('The store of the daemon is not there.');
  const workspace = String(made.workspace_id);
  const folder = join(home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  const signal = new AbortController().signal;
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret, signal };
  return {
    pid: daemon.pid ?? 0,
    storePid: await mainPidOf(store),
    store,
    api: await signIn(baseUrl, workspace, credentials),
    folder,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      const gone = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      await gone;
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function untilReady(baseUrl: string, daemon: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (daemon.exitCode !== null) throw new Error('The daemon ended while it was starting.');
    const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
    if (ready?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The daemon was not ready within 30 seconds.');
}

/** Line 1 of postmaster.pid. */
async function mainPidOf(store: Store): Promise<number> {
  const [row] = await store.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return Number(row?.pid);
}
