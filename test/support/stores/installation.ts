import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, signIn } from '../../../src/cli/api-client.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { attachStore, type Store } from '../../../src/store/index.ts';
import { bareEnvironment, type Daemon, type ProcessOptions, startDaemon } from '../crashes/penstock-process.ts';
import { commandLine } from '../runner/command-line.ts';

/** A daemon that somebody has signed in to; ended when disposed. */
export interface Served extends AsyncDisposable {
  readonly daemon: Daemon;
  readonly api: ApiClient;
}

/** A home with a workspace and a credential, on which daemons can be started one after the other. */
export interface Installation {
  /** Where DuckDB files of the workspace lie. */
  readonly folder: string;
  /** `penstock serve`, and a client that it let in. */
  serve(): Promise<Served>;
  /** The store of the daemon that runs. */
  openStore(): Promise<Store>;
}

/** As a person begins: `penstock init`, in this process, in a new home. */
export async function install(options: ProcessOptions): Promise<Installation> {
  const made = await commandLine(bareEnvironment(options)).json('init');
  const workspace = String(made.workspace_id);
  const folder = join(options.home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  const { signal } = new AbortController();
  const credentials = { clientId: String(made.client_id), clientSecret: String(made.client_secret), signal };
  return {
    folder,
    async serve() {
      const daemon = await startDaemon(options);
      const api = await signIn(daemon.url, workspace, credentials);
      return { daemon, api, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
    },
    async openStore() {
      const store = await attachStore(readConfig(bareEnvironment(options)), createLog('error'));
      if (store === undefined) throw new Error('No daemon runs in that home.');
      return store;
    },
  };
}
