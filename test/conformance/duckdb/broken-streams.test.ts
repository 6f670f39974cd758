import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../connectors/duckdb/child/open-database.ts';
import { loadSdk } from '../../../connectors/duckdb/child/sdk.ts';
import { openStream } from '../../../connectors/duckdb/child/stream.ts';
import { NEVER, rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

const ROWS = 1_000_000;
const textOf = (characters: number) => `(SELECT string_agg(repeat('x', 10000), '') FROM range(${characters / 10_000}))`;
const FAULTS: readonly (readonly [string, string, string])[] = [
  ['a cast', `CAST(CASE WHEN range = ${ROWS / 2} THEN 'x' ELSE '1' END AS INTEGER)`, 'WAREHOUSE_DATA'],
  ['an overflow', `9223372036854775807 - ${ROWS / 2} + range`, 'WAREHOUSE_DATA'],
  ['an error of the model', `CASE WHEN range = ${ROWS / 2} THEN error('boom') ELSE 'x' END`, 'WAREHOUSE_DATA'],
  ['a text that is too long', `CASE WHEN range = ${ROWS / 2} THEN ${textOf(600_000_000)} ELSE 'x' END`, 'WAREHOUSE_'],
];

describe('a stream that breaks in the middle', () => {
  it.each(FAULTS)('by %s is an error with its cause, never an end', async (_, value, code) => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' });
    await expect(rowsOf(session, `SELECT range AS n, ${value} AS value FROM range(${ROWS})`)).rejects.toMatchObject({
      code: expect.stringContaining(code),
    });
  });

  it('by an interrupt that nobody asked us for is no end either', async () => {
    await using scratch = await scratchWarehouse();
    const sdk = await loadSdk();
    const limits = { memoryMb: 64, threads: 1, spillMb: 64, timeoutMs: 60_000 };
    await using database = await openDatabase(sdk, {
      path: ':memory:',
      folder: scratch.folder,
      ...limits,
      writes: false,
    });
    const connections: DuckDBConnection[] = [];
    const watched = {
      ...database,
      connect: async () => {
        const connection = await database.connect();
        connections.push(connection);
        return connection;
      },
    };
    const statement = { sql: 'SELECT range AS n FROM range(50000000)', parameters: {} };
    const stream = await openStream({ api: sdk.api, database: watched, statement, signal: NEVER });
    await stream.next();
    connections[0]?.interrupt();
    const rest = async () => {
      while ((await stream.next()) !== undefined);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST', disposition: 'retry' });
    await stream.free();
  });

  it('before its first row, by the time limit, counts its preparation', async () => {
    await using scratch = await scratchWarehouse();
    const sdk = await loadSdk();
    const limits = { memoryMb: 64, threads: 1, spillMb: 64, timeoutMs: 800 };
    const place = { path: ':memory:', folder: scratch.folder, writes: false };
    await using database = await openDatabase(sdk, { ...place, ...limits });
    const slow = {
      ...database,
      connect: async () => {
        const connection = await database.connect();
        const prepare = connection.prepare.bind(connection);
        connection.prepare = async (sql) => {
          const prepared = await pause(600, await prepare(sql));
          const stream = prepared.stream.bind(prepared);
          prepared.stream = async () => await stream().then((result) => pause(600, result));
          return prepared;
        };
        return connection;
      },
    };
    const statement = { sql: 'SELECT 1 AS n', parameters: {} };
    const opening = openStream({ api: sdk.api, database: slow, statement, signal: NEVER });
    await expect(opening).rejects.toMatchObject({ code: 'WAREHOUSE_TIMEOUT' });
  });

  it('by the memory limit is a fault that names the setting', async () => {
    await using scratch = await scratchWarehouse();
    await using session = await scratch.open({ database: ':memory:' }, { memoryMb: 64 });
    const text = `CASE WHEN range = ${ROWS / 2} THEN ${textOf(200_000_000)} ELSE 'x' END`;
    await expect(rowsOf(session, `SELECT ${text} AS text FROM range(${ROWS})`)).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringContaining('PENSTOCK_DUCKDB_MEMORY_MB'),
    });
  });
});
