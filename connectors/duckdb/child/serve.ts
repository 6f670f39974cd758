import { AppError } from '../../../src/kernel/index.ts';
import { explain } from '../errors.ts';
import type { CallMessage, Calls } from '../wire/messages.ts';
import { emptySlots, SHARED_FILE } from '../wire/shared-file.ts';
import { type Database, openDatabase } from './open-database.ts';
import { createReadings } from './readings.ts';
import type { Sdk } from './sdk.ts';
import { columnsOf, prepareStatement, withConnection } from './statement.ts';
import { ask, createTransactions } from './transactions.ts';

/** The functions that answer some of the calls. */
export type Handlers<Names extends keyof Calls> = {
  readonly [Name in Names]: (take: Calls[Name]['take'], signal: AbortSignal) => Promise<Calls[Name]['answer']>;
};

/** Answers a call. Throws only AppError, without the place of the workspace's folder on the machine. */
export type Server = (message: CallMessage, signal: AbortSignal) => Promise<unknown>;

/** Creates the server of a child, which has at most one database open. */
export function createServer(sdk: Sdk): Server {
  let folder = '';
  let database: Database | undefined;
  const opened = (): Database => {
    if (database === undefined) throw new AppError('WAREHOUSE_SESSION_LOST', 'The database is not open.');
    return database;
  };
  const readings = createReadings(sdk, opened);
  const handlers: Handlers<keyof Calls> = {
    ...readings.handlers,
    ...createTransactions(opened),
    open: async (opening) => {
      folder = opening.folder;
      database = await openDatabase(sdk, opening);
      return null;
    },
    describe: ({ statement }, signal) => describe(sdk, opened(), { statement, signal }),
    ask: ({ sql }, signal) => withConnection(opened(), signal, (own) => ask(own, sql)),
    close: async () => {
      await readings.freeAll();
      await database?.[Symbol.asyncDispose]();
      database = undefined;
      emptySlots(SHARED_FILE);
      return process.memoryUsage.rss();
    },
  };
  return async ({ call, take }, signal) => {
    const handler = handlers[call] as (take: unknown, signal: AbortSignal) => Promise<unknown>;
    try {
      return await handler(take, signal);
    } catch (failure) {
      throw explain(failure, folder);
    }
  };
}

interface Describing {
  readonly statement: Calls['describe']['take']['statement'];
  readonly signal: AbortSignal;
}

function describe(sdk: Sdk, database: Database, { statement, signal }: Describing) {
  return withConnection(database, signal, async (connection) => {
    const prepared = await prepareStatement(connection, statement, database.folder);
    try {
      return columnsOf(sdk, prepared);
    } finally {
      prepared.destroySync();
    }
  });
}
