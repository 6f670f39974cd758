import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { AppError, systemClock } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { type DuckDbConfig, isInMemory } from './config.ts';
import { explain } from './errors.ts';
import { folderPath, locateDatabase, requireDatabase } from './locate-database.ts';
import type { Sdk } from './sdk.ts';
import { claimSpill } from './spill.ts';

/** One open database; its last user's `release` closes it. */
export interface Database extends AsyncDisposable {
  /** Real path of the folder that SQL may read. */
  readonly folder: string;
  /** Milliseconds that a statement, or the fetch of its next rows, may take. */
  readonly timeoutMs: number;
  connect(): Promise<DuckDBConnection>;
}

interface Shared {
  readonly opening: Promise<Opened>;
  readonly writes: boolean;
  /** Resolves when the last user has released the database. */
  readonly closed: PromiseWithResolvers<void>;
  users: number;
}
interface Opened {
  readonly instance: DuckDBInstance;
  close(): Promise<void>;
}

/**
 * Files that are open in this process, by path and limits. DuckDB allows one instance for each file in a process. Instances are
 * READ_ONLY, so that any number of processes may read at the same time, unless a write-back has opened the file: then readers
 * of this process share that instance. It closes with its last session, so that a writer gets its turn.
 */
const openFiles = new Map<string, Shared>();

/** Opens a database. `:memory:` gets an instance of its own each time: two sessions share nothing. */
export async function openDatabase(
  sdk: Sdk,
  config: DuckDbConfig,
  environment: ConnectorEnvironment,
): Promise<Database> {
  const folder = await folderPath(environment.folder);
  const { memoryMb, threads, spillMb, statementTimeoutMs } = environment;
  const limits = { folder, memoryMb, threads, spillMb, statementTimeoutMs };
  if (isInMemory(config)) {
    const opened = await openInstance(sdk, ':memory:', limits);
    return databaseOf(limits, opened, () => opened.close());
  }
  const path = await locateDatabase(environment.folder, config.database);
  await requireDatabase(path, config.database);
  return await shareFile(sdk, path, { ...limits, writes: environment.writes === true });
}

async function shareFile(sdk: Sdk, path: string, limits: Limits): Promise<Database> {
  const { writes = false, ...shown } = limits;
  const key = JSON.stringify([path, shown]);
  if (writes) await waitForReaders(key);
  const shared = openFiles.get(key) ?? {
    opening: openInstance(sdk, path, limits),
    writes,
    closed: Promise.withResolvers<void>(),
    users: 0,
  };
  openFiles.set(key, shared);
  shared.users += 1;
  const release = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (openFiles.get(key) === shared) openFiles.delete(key);
    try {
      await (await shared.opening).close();
    } finally {
      shared.closed.resolve();
    }
  };
  try {
    return databaseOf(limits, await shared.opening, release);
  } catch (failure) {
    await release().catch(() => undefined);
    throw failure;
  }
}

/** Milliseconds that a write-back waits for readers of the file in this process. */
const PATIENCE_MS = 10_000;

async function waitForReaders(key: string): Promise<void> {
  const over = new AbortController();
  const patience = systemClock.sleep(PATIENCE_MS, over.signal).catch(() => undefined);
  for (let shared = openFiles.get(key); shared?.writes === false; shared = openFiles.get(key)) {
    const isOver = await Promise.race([shared.closed.promise.then(() => false), patience.then(() => true)]);
    if (!isOver) continue;
    throw new AppError(
      'WAREHOUSE_THROTTLED',
      'The file is being read, so it cannot be written yet; Penstock tries again.',
    );
  }
  over.abort();
}

function databaseOf(
  { folder, statementTimeoutMs: timeoutMs }: Limits,
  { instance }: Opened,
  release: () => Promise<void>,
): Database {
  let released: Promise<void> | undefined;
  return {
    folder,
    timeoutMs,
    connect: () => instance.connect(),
    [Symbol.asyncDispose]: () => {
      released ??= release();
      return released;
    },
  };
}

type Limits = Pick<ConnectorEnvironment, 'folder' | 'memoryMb' | 'threads' | 'spillMb' | 'statementTimeoutMs'> & {
  readonly writes?: boolean;
};

/** Opens an instance and then locks its settings: SQL cannot change them any more. */
async function openInstance(sdk: Sdk, path: string, limits: Limits): Promise<Opened> {
  const { folder, memoryMb, threads, writes } = limits;
  const spill = await claimSpill(folder);
  const instance = await sdk.api.DuckDBInstance.create(path, {
    ...(path === ':memory:' ? {} : { access_mode: writes === true ? 'READ_WRITE' : 'READ_ONLY' }),
    memory_limit: `${memoryMb}MiB`,
    threads: String(threads),
    temp_directory: spill.path,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  }).catch(async (failure: unknown) => {
    await spill.release();
    throw explain(failure, folder);
  });
  const close = async () => {
    instance.closeSync();
    await spill.release();
  };
  try {
    await shutDoors(await instance.connect(), limits);
    return { instance, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function shutDoors(connection: DuckDBConnection, { folder, spillMb }: Limits): Promise<void> {
  const quoted = `'${folder.replaceAll("'", "''")}/'`;
  for (const statement of [
    // the default of nine tenths of the disk may take the store's space; set among the options above, it has no effect
    `SET max_temp_directory_size = '${spillMb}MiB'`,
    `SET allowed_directories = [${quoted}]`,
    'SET enable_external_access = false',
    // zone-less texts and casts must mean the same wherever the daemon runs
    `SET GLOBAL TimeZone = 'UTC'`,
    'SET lock_configuration = true',
  ]) {
    await connection.run(statement);
  }
  connection.closeSync();
}
