import { AppError, type Micros } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment, Session } from '../../src/warehouse/index.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { type DuckDbConfig, isInMemory } from './config.ts';
import { classify } from './errors.ts';
import { folderPath, locateDatabase } from './locate-database.ts';
import { type Database, openDatabase } from './open-database.ts';
import { startRead } from './read.ts';
import { sendable, type Texts } from './wire/messages.ts';
import { createWriteBack, type Reach } from './write-back.ts';

/**
 * Opens a session. Opens the database at the first use, so that `probe` can report at which stage it fails. All work is a
 * child's; the daemon itself loads no DuckDB.
 */
export function openSession(config: DuckDbConfig, environment: ConnectorEnvironment): Session {
  if (environment.writes === true) requireWritable(config);
  const { statementTimeoutMs: limitMs, messageBytes: mostBytes } = environment;
  let opening: Promise<Database> | undefined;
  const database = async (): Promise<Database> => {
    opening ??= openDatabase(config, environment);
    const seen = opening;
    const opened = await seen;
    if (opened.host.isAlive) return opened;
    // a statement has ended the process; the session goes on in another one
    const reopen = async () => {
      await opened[Symbol.asyncDispose]();
      return await openDatabase(config, environment);
    };
    if (opening === seen) opening = reopen();
    return await database();
  };
  const reach: Reach = async (signal) => ({ host: (await database()).host, limits: { signal, limitMs } });
  const ask = async (sql: string, signal: AbortSignal): Promise<Texts> => {
    const { host, limits } = await reach(signal);
    return await host.call('ask', { sql }, limits);
  };
  return {
    ...(environment.writes === true ? { writeBack: createWriteBack(reach) } : {}),
    probe: (signal) =>
      takeStages(
        [
          {
            name: 'reach',
            passed: 'The folder and the file exist.',
            take: async () => void (await locate(config, environment)),
          },
          { name: 'sign_in', passed: 'DuckDB opens it.', take: database },
          {
            name: 'use_objects',
            passed: 'The catalog can be read.',
            take: () => ask('SELECT count(*) FROM duckdb_tables()', signal),
          },
          { name: 'read', passed: 'A row can be read.', take: () => ask('SELECT 1', signal) },
        ],
        { classify, signal },
      ),
    describe: async (statement, signal) => {
      const { host, limits } = await reach(signal);
      return await host.call('describe', { statement: sendable(statement) }, limits);
    },
    clock: async (signal) => microsOf(await ask('SELECT epoch_us(now())', signal)),
    read: async (request, signal) => startRead({ ...(await reach(signal)), request, mostBytes }),
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

function microsOf(rows: Texts): Micros {
  const micros = rows[0]?.[0];
  if (typeof micros !== 'string') throw new AppError('WAREHOUSE_UNKNOWN', 'DuckDB did not return its current time.');
  return BigInt(micros);
}
