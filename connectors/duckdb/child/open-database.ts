import type { DuckDBConnection } from '@duckdb/node-api';
import { explain } from '../errors.ts';
import type { Opening } from '../wire/messages.ts';
import { otherVersion } from './file-version.ts';
import type { Sdk } from './sdk.ts';
import { claimSpill } from './spill.ts';

/** The database of this child. */
export interface Database extends AsyncDisposable {
  /** Real path of the folder that SQL may read. */
  readonly folder: string;
  /** Milliseconds that a statement, or the fetch of its next rows, may take. */
  readonly timeoutMs: number;
  connect(): Promise<DuckDBConnection>;
}

/** Opens a database and then locks its settings: SQL cannot change them any more. */
export async function openDatabase(sdk: Sdk, opening: Opening): Promise<Database> {
  const { path, folder, memoryMb, threads, timeoutMs, writes } = opening;
  const spill = await claimSpill(folder);
  const instance = await sdk.api.DuckDBInstance.create(path, {
    ...(path === ':memory:' ? {} : { access_mode: writes ? 'READ_WRITE' : 'READ_ONLY' }),
    memory_limit: `${memoryMb}MiB`,
    threads: String(threads),
    temp_directory: spill.path,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  }).catch(async (failure: unknown) => {
    await spill.release();
    throw (await otherVersion(sdk.api, path, failure)) ?? explain(failure, folder);
  });
  const database: Database = {
    folder,
    timeoutMs,
    connect: () => instance.connect(),
    [Symbol.asyncDispose]: async () => {
      instance.closeSync();
      await spill.release();
    },
  };
  try {
    await shutDoors(await instance.connect(), opening);
    return database;
  } catch (failure) {
    await database[Symbol.asyncDispose]();
    throw failure;
  }
}

async function shutDoors(connection: DuckDBConnection, { folder, spillMb }: Opening): Promise<void> {
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
