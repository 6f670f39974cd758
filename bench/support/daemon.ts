import type { ApiClient } from '../../src/cli/api-client.ts';
import type { Store } from '../../src/store/index.ts';
import { install } from '../../test/support/installation.ts';
import type { ProcessOptions } from '../../test/support/penstock-process.ts';
import { temporaryHome } from '../../test/support/temporary-home.ts';

/** The real daemon in a process of its own, in a new home, with an embedded store; gone when disposed. */
export interface BenchDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  /** As the daemon was started, for commands beside it. */
  readonly options: ProcessOptions;
  readonly api: ApiClient;
  readonly store: Store;
  /** Of the store's main process. */
  readonly storePid: number;
  /** Where DuckDB files of the workspace lie. */
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

/** Line 1 of postmaster.pid. */
export async function mainPidOf(store: Store): Promise<number> {
  const [row] = await store.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return Number(row?.pid);
}
