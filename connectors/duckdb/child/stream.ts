import type { DuckDBConnection, DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import { AppError } from '../../../src/kernel/index.ts';
import { explain } from '../errors.ts';
import type { SentStatement } from '../wire/messages.ts';
import { type Watch, watchConnection } from './interrupt.ts';
import type { Database } from './open-database.ts';
import type { NodeApi } from './sdk.ts';
import { prepareStatement, withConnection } from './statement.ts';

/** The vectors of one statement on its own connection, one fetched ahead. */
export interface Stream {
  readonly result: DuckDBResult;
  /** Returns the next vector, or undefined after the real end. Throws where the stream broke. */
  next(): Promise<DuckDBDataChunk | undefined>;
  /** Interrupts running work, waits for it, and frees the connection. */
  free(): Promise<void>;
}

export interface StreamJob {
  readonly api: NodeApi;
  readonly database: Database;
  readonly statement: SentStatement;
  readonly signal: AbortSignal;
}

export async function openStream(job: StreamJob): Promise<Stream> {
  const { database, signal } = job;
  const connection = await database.connect();
  const watch = watchConnection(connection, { signal, timeoutMs: database.timeoutMs });
  const close = () => {
    watch.stop();
    connection.closeSync();
  };
  try {
    // one wait for both: the daemon ends a child that takes longer than the limit for a call
    return streamOf(await watch.wait(startStatement(connection, job)), { job, connection, watch, close });
  } catch (failure) {
    close();
    throw explain(failure, database.folder);
  }
}

async function startStatement(connection: DuckDBConnection, { database, statement }: StreamJob): Promise<DuckDBResult> {
  const prepared = await prepareStatement(connection, statement, database.folder);
  try {
    return await prepared.stream();
  } finally {
    // an object that the driver holds until garbage collection would hold the file open
    prepared.destroySync();
  }
}

interface Owned {
  readonly job: StreamJob;
  readonly connection: DuckDBConnection;
  readonly watch: Watch;
  readonly close: () => void;
}

function streamOf(result: DuckDBResult, { job, connection, watch, close }: Owned): Stream {
  let ahead: Promise<DuckDBDataChunk | null> | undefined;
  // cells are read from a chunk's memory, which is freed with it: it is held here until the next chunk is requested
  let held: DuckDBDataChunk | undefined;
  let ended = false;
  let freed: Promise<void> | undefined;
  return {
    result,
    async next() {
      ahead ??= result.fetchChunk();
      const chunk = await watch.wait(ahead);
      // `free` reads the rest
      if (freed !== undefined) throw new AppError('WAREHOUSE_SESSION_LOST', 'The statement was freed before its end.');
      held = chunk ?? undefined;
      if (held !== undefined && held.rowCount > 0) {
        ahead = result.fetchChunk();
        // the next call rethrows the failure; this only keeps it from being reported as unhandled until then
        ahead.catch(() => undefined);
        return held;
      }
      ahead = undefined;
      ended = true;
      if (result.returnType !== job.api.ResultReturnType.QUERY_RESULT) throw await findCause(job);
      return undefined;
    },
    free() {
      freed ??= free();
      return freed;
    },
  };

  /**
   * Frees the stream. A result releases its database only at its end, so an open one is interrupted and then read to that end.
   */
  async function free(): Promise<void> {
    if (!ended) connection.interrupt();
    let chunk = await ahead?.catch(() => null);
    while (!ended && chunk !== null && chunk?.rowCount !== 0) {
      connection.interrupt();
      chunk = await result.fetchChunk().catch(() => null);
    }
    close();
  }
}

/**
 * Returns the cause of a broken stream. A stream that fails in the middle ends like any other, but the type of its result turns
 * from QUERY_RESULT to INVALID (`duckdb_result_return_type`), which costs nothing to check. The driver does not reveal the
 * error's text, so the statement runs once more without output, and the same failure is thrown.
 */
async function findCause({ database, statement, signal }: StreamJob): Promise<AppError> {
  if (signal.aborted) return new AppError('CANCELLED', 'The reading was cancelled.');
  const sql = `SELECT bit_xor(hash(COLUMNS(*))) FROM (\n${statement.sql}\n) AS penstock_again`;
  try {
    await withConnection(database, signal, async (connection) => {
      const prepared = await prepareStatement(connection, { ...statement, sql }, database.folder);
      await prepared.run().finally(() => prepared.destroySync());
    });
  } catch (failure) {
    return explain(failure, database.folder);
  }
  return new AppError('WAREHOUSE_SESSION_LOST', 'DuckDB stopped sending rows too early and gave no reason.');
}
