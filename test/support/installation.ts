import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApiClient, signIn } from '../../src/cli/api-client.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { attachStore, type Store } from '../../src/store/index.ts';
import { bareEnvironment, type Daemon, type ProcessOptions, penstock, startDaemon } from './penstock-process.ts';

/** A home with a workspace and a credential, on which daemons can be started one after the other. */
export interface Installation {
  /** Where DuckDB files of the workspace lie. */
  readonly folder: string;
  /** `penstock serve`, and a client that it let in. */
  serve(): Promise<{ readonly daemon: Daemon; readonly api: ApiClient }>;
  /** The store of the daemon that runs. */
  openStore(): Promise<Store>;
}

/** As a person begins: `penstock init` in a new home. */
export async function install(options: ProcessOptions): Promise<Installation> {
  const { code, out, err } = await penstock(['init', '--json'], options);
  if (code !== 0) throw new Error(`penstock init ended with ${code}:\n${err}`);
  const made = JSON.parse(out) as Record<'workspace_id' | 'client_id' | 'client_secret', string>;
  const workspace = String(made.workspace_id);
  const folder = join(options.home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  const { signal } = new AbortController();
  const credentials = { clientId: made.client_id, clientSecret: made.client_secret, signal };
  return {
    folder,
    async serve() {
      const daemon = await startDaemon(options);
      return { daemon, api: await signIn(daemon.url, workspace, credentials) };
    },
    async openStore() {
      const store = await attachStore(readConfig(bareEnvironment(options)), createLog('error'));
      if (store === undefined) throw new Error('No daemon runs in that home.');
      return store;
    },
  };
}
