import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/kernel/index.ts';
import { attachStore, type Store } from '../../src/store/index.ts';
import { install, type SpawnedDaemon, spawnDaemon } from '../../test/support/spawn-daemon.ts';
import { temporaryHome } from '../../test/support/temporary-home.ts';

/** The real daemon in a process of its own, in a new home, with an embedded store; gone when disposed. */
export interface BenchDaemon extends AsyncDisposable, Pick<SpawnedDaemon, 'pid' | 'api'> {
  /** Of the store's main process. */
  readonly storePid: number;
  readonly store: Store;
  /** Where DuckDB files of the workspace lie. */
  readonly folder: string;
}

export async function startBenchDaemon(settings: Readonly<Record<string, string>> = {}): Promise<BenchDaemon> {
  const home = await temporaryHome();
  const installation = await install(home.path, settings);
  const daemon = await spawnDaemon(installation);
  const store = await attachStore(readConfig(installation.env), createLog('error'));
  if (store === undefined) throw new Error('The store of the daemon is not there.');
  const { pid, api } = daemon;
  return {
    ...{ pid, api, store, folder: installation.folder, storePid: await mainPidOf(store) },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Line 1 of postmaster.pid. */
async function mainPidOf(store: Store): Promise<number> {
  const [row] = await store.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return Number(row?.pid);
}
