import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError, type Micros } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment, Session } from '../../src/warehouse/index.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { type DuckDbConfig, isInMemory } from './config.ts';
import { classify } from './errors.ts';
import { folderPath, locateDatabase } from './locate-database.ts';
import { type Database, openDatabase } from './open-database.ts';
import { startRead } from './read.ts';
import type { Sdk } from './sdk.ts';
import { columnsOf, prepareStatement, withConnection } from './statement.ts';
import { createWriteBack } from './write-back.ts';

/** Loads the SDK (20 MB, 50 ms); the only place that does. */
export async function loadSdk(): Promise<Sdk> {
  const [api, bindings] = await Promise.all([import('@duckdb/node-api'), import('@duckdb/node-bindings')]);
  return { api, bindings: bindings.default };
}

/**
 * Opens a session. Opens the file at the first use, so that `probe` can report at which stage it fails. Each piece of work has
 * its own connection: a second statement on a connection would silently empty an open stream.
 */
export function openSession(sdk: Sdk, config: DuckDbConfig, environment: ConnectorEnvironment): Session {
  if (environment.writes === true) requireWritable(config);
  let opening: Promise<Database> | undefined;
  const database = (): Promise<Database> => {
    opening ??= openDatabase(sdk, config, environment);
    return opening;
  };
  const run = async <T>(signal: AbortSignal, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> =>
    withConnection(await database(), signal, work);
  return {
    ...(environment.writes === true ? { writeBack: createWriteBack(database) } : {}),
    probe: (signal) => {
      const ask = (sql: string) => run(signal, (connection) => connection.run(sql));
      return takeStages(
        [
          {
            name: 'reach',
            passed: 'The folder and the file exist.',
            take: async () => void (await locate(config, environment)),
          },
          { name: 'sign_in', passed: 'DuckDB opens it.', take: database },
          { name: 'use_objects', passed: 'The catalog can be read.', take: () => ask('SELECT 1 FROM duckdb_tables()') },
          { name: 'read', passed: 'A row can be read.', take: () => ask('SELECT 1') },
        ],
        { classify, signal },
      );
    },
    describe: (statement, signal) =>
      run(signal, async (connection) => {
        const { folder } = await database();
        const prepared = await prepareStatement(connection, statement, folder);
        try {
          return columnsOf(sdk, prepared);
        } finally {
          prepared.destroySync();
        }
      }),
    clock: (signal) => run(signal, readClock),
    read: async (request, signal) => startRead({ sdk, database: await database(), request, signal }),
    [Symbol.asyncDispose]: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.[Symbol.asyncDispose]();
    },
  };
}

/** Throws unless the configuration allows writing to the file. The setting replaces grants, which DuckDB does not have. */
function requireWritable(config: DuckDbConfig): void {
  if (isInMemory(config)) {
    throw new AppError('WAREHOUSE_CONFIG', 'An in-memory database has no table to write MPIDs back to; name a file.');
  }
  if (config.read_only !== false) {
    const message = `Writing MPIDs back changes the file "${config.database}"; allow it with config.read_only: false.`;
    throw new AppError('WAREHOUSE_CONFIG', message);
  }
}

function locate(config: DuckDbConfig, { folder }: ConnectorEnvironment): Promise<string> {
  return isInMemory(config) ? folderPath(folder) : locateDatabase(folder, config.database);
}

async function readClock(connection: DuckDBConnection): Promise<Micros> {
  const [[micros] = []] = await (await connection.run('SELECT epoch_us(now())')).getRows();
  if (typeof micros !== 'bigint') throw new AppError('WAREHOUSE_UNKNOWN', 'DuckDB did not return its current time.');
  return micros;
}
