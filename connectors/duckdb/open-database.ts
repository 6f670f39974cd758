import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { type DuckDbConfig, isInMemory } from './config.ts';
import { explain } from './errors.ts';
import { folderPath, locateDatabase, requireDatabase } from './locate-database.ts';
import type { Sdk } from './sdk.ts';
import { claimSpill } from './spill.ts';

/** One open database; `release` closes it with its last user. */
export interface Database extends AsyncDisposable {
  /** Real path of the folder that SQL may read. */
  readonly folder: string;
  connect(): Promise<DuckDBConnection>;
}

interface Shared {
  readonly opening: Promise<Opened>;
  users: number;
}
interface Opened {
  readonly instance: DuckDBInstance;
  close(): Promise<void>;
}

/**
 * Files that are open in this process, by path and limits. DuckDB allows one instance a file in a process; READ_ONLY, so
 * that any number of processes may read at the same time. It closes with its last session, so that a writer gets its turn.
 */
const openFiles = new Map<string, Shared>();

/** `:memory:` gets an instance of its own each time: two sessions share nothing. */
export async function openDatabase(
  sdk: Sdk,
  config: DuckDbConfig,
  environment: ConnectorEnvironment,
): Promise<Database> {
  const folder = await folderPath(environment.folder);
  const limits = { folder, memoryMb: environment.memoryMb, threads: environment.threads };
  if (isInMemory(config)) {
    const opened = await openInstance(sdk, ':memory:', limits);
    return databaseOf(folder, opened, () => opened.close());
  }
  const path = await locateDatabase(environment.folder, config.database);
  await requireDatabase(path, config.database);
  return shareFile(sdk, path, limits);
}

async function shareFile(sdk: Sdk, path: string, limits: Limits): Promise<Database> {
  const key = JSON.stringify([path, limits]);
  const shared = openFiles.get(key) ?? { opening: openInstance(sdk, path, limits), users: 0 };
  openFiles.set(key, shared);
  shared.users += 1;
  const release = async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    if (openFiles.get(key) === shared) openFiles.delete(key);
    await (await shared.opening).close();
  };
  try {
    return databaseOf(limits.folder, await shared.opening, release);
  } catch (failure) {
    shared.users -= 1;
    if (openFiles.get(key) === shared) openFiles.delete(key);
    throw failure;
  }
}

function databaseOf(folder: string, { instance }: Opened, release: () => Promise<void>): Database {
  let released: Promise<void> | undefined;
  return {
    folder,
    connect: () => instance.connect(),
    [Symbol.asyncDispose]: () => {
      released ??= release();
      return released;
    },
  };
}

type Limits = Pick<ConnectorEnvironment, 'folder' | 'memoryMb' | 'threads'>;

/** Opens and then shuts every door: what is set here cannot be changed by SQL any more. */
async function openInstance(sdk: Sdk, path: string, { folder, memoryMb, threads }: Limits): Promise<Opened> {
  const spill = await claimSpill(folder);
  const instance = await sdk.api.DuckDBInstance.create(path, {
    ...(path === ':memory:' ? {} : { access_mode: 'READ_ONLY' }),
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
    await shutDoors(await instance.connect(), folder);
    return { instance, close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function shutDoors(connection: DuckDBConnection, folder: string): Promise<void> {
  const quoted = `'${folder.replaceAll("'", "''")}/'`;
  for (const statement of [
    `SET allowed_directories = [${quoted}]`,
    'SET enable_external_access = false',
    // zone-less texts and casts mean the same wherever the daemon runs
    `SET GLOBAL TimeZone = 'UTC'`,
    'SET lock_configuration = true',
  ]) {
    await connection.run(statement);
  }
  connection.closeSync();
}
