import { describe, expect, it } from 'vitest';
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
    const { DuckDBConnection } = await import('@duckdb/node-api');
    await using session = await scratch.open({ database: ':memory:' });
    // the driver's own object of the stream, met where it is closed
    const opened: InstanceType<typeof DuckDBConnection>[] = [];
    const prepare = DuckDBConnection.prototype.prepare;
    DuckDBConnection.prototype.prepare = function (sql) {
      opened.push(this);
      return prepare.call(this, sql);
    };
    try {
      const request = {
        statement: { sql: 'SELECT range AS n FROM range(50000000)', parameters: {} },
        chunkRows: 1000,
        chunkBytes: 1e6,
      };
      const iterator = (await session.read(request, NEVER)).chunks[Symbol.asyncIterator]();
      await iterator.next();
      for (const connection of opened.splice(0)) connection.interrupt();
      const rest = async () => {
        for (let next = await iterator.next(); !next.done; next = await iterator.next());
      };
      await expect(rest()).rejects.toMatchObject({ code: 'WAREHOUSE_SESSION_LOST', disposition: 'retry' });
    } finally {
      DuckDBConnection.prototype.prepare = prepare;
    }
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
