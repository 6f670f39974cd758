import type { ApiClient } from '../../src/cli/api-client.ts';
import type { Store } from '../../src/store/index.ts';
import { bareEnvironment, type ProcessOptions } from '../../test/support/crashes/penstock-process.ts';
import { commandLine } from '../../test/support/runner/command-line.ts';
import { install } from '../../test/support/stores/installation.ts';
import { temporaryHome } from '../../test/support/stores/temporary-home.ts';

/** The real daemon in a process of its own, in a new home, with an embedded store; gone when disposed. */
export interface BenchDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** Options that the daemon was started with, for commands beside it. */
  readonly options: ProcessOptions;
  readonly api: ApiClient;
  readonly store: Store;
  /** Main process of the store. */
  readonly storePid: number;
  /** Folder of the workspace's DuckDB files. */
  readonly folder: string;
}

export async function startBenchDaemon(): Promise<BenchDaemon> {
  const home = await temporaryHome();
  const options = { home: home.path, environment: { PENSTOCK_LOG_LEVEL: 'warn', PENSTOCK_STORE_FSYNC: 'on' } };
  const installation = await install(options);
  const { daemon, api } = await installation.serve();
  const store = await installation.openStore();
  return {
    ...{
      pid: daemon.pid,
      url: daemon.url,
      options,
      api,
      store,
      folder: installation.folder,
      storePid: await mainPidOf(store),
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Creates an input key and returns its Authorization. Raises the workspace's rate limit, or a bench would measure that. */
export async function openBenchInput({ api, options }: BenchDaemon): Promise<string> {
  await api.put('/settings', { limits: { batches_per_second: 100_000 } });
  const made = await commandLine(bareEnvironment(options)).json('credentials', 'create', 'input', 'bench');
  return `Basic ${Buffer.from(`${made.key}:${made.secret}`).toString('base64')}`;
}

/** Reads line 1 of postmaster.pid. */
export async function mainPidOf(store: Store): Promise<number> {
  const [row] = await store.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return Number(row?.pid);
}
