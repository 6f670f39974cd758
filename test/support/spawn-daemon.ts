import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiClient, signIn } from '../../src/cli/api-client.ts';
import { until } from './until.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const START_MS = 60_000;

/** A home with a workspace and a credential, on which daemons can be started one after the other. */
export interface Installation {
  readonly env: NodeJS.ProcessEnv;
  readonly baseUrl: string;
  readonly workspace: string;
  /** Where DuckDB files of the workspace lie. */
  readonly folder: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string };
}

/** As a person begins: `penstock init` in a new home, on a free port. */
export async function install(home: string, settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const port = await freePort();
  const ours = { PENSTOCK_HOME: home, PENSTOCK_PORT: String(port), PENSTOCK_LOG_LEVEL: 'warn' };
  const env = { ...process.env, NODE_ENV: 'production', ...ours, ...settings };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'init', '--json'], { env });
  const made = JSON.parse(stdout) as Record<'workspace_id' | 'client_id' | 'client_secret', string>;
  const workspace = String(made.workspace_id);
  const folder = join(home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret };
  return { env, baseUrl: `http://127.0.0.1:${port}`, workspace, folder, credentials };
}

/** The real process. Disposing it drains it. */
export interface SpawnedDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly api: ApiClient;
  /** Sends the signal and waits for the end; answers the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** `penstock serve`, once it is ready and let us in. */
export async function spawnDaemon({ env, baseUrl, workspace, credentials }: Installation): Promise<SpawnedDaemon> {
  const daemon = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(daemon, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    daemon.kill(signal);
    await exited;
    return daemon.exitCode;
  };
  await until(() => isReady(daemon, baseUrl), START_MS);
  const { signal } = new AbortController();
  const api = await signIn(baseUrl, workspace, { ...credentials, signal });
  return { pid: daemon.pid ?? 0, api, end, [Symbol.asyncDispose]: async () => void (await end('SIGTERM')) };
}

async function isReady(daemon: ChildProcess, baseUrl: string): Promise<boolean> {
  if (daemon.exitCode !== null) throw new Error(`The daemon ended with ${daemon.exitCode} while it was starting.`);
  const ready = await fetch(`${baseUrl}/readyz`).catch(() => undefined);
  return ready?.ok === true;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
