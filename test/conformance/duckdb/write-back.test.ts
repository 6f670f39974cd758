import { describe, expect, it } from 'vitest';
import { duckdb } from '../../../connectors/duckdb/index.ts';
import { fixtureOf } from '../fleet.ts';
import { NEVER, openOn, readAll, requestOf } from '../reading.ts';
import { applyRequest, openWriting, peopleOf, peopleTable, staged, targetOf, writeBackOf } from '../writing-back.ts';
import { rowsOf, scratchWarehouse } from './scratch-warehouse.ts';

const fixture = fixtureOf('DuckDB');
const PEOPLE = peopleTable(fixture, [['ann', null, null, null, 1]]);

describe('a DuckDB file that is written back to', () => {
  it.each([
    [{}, 'allow it with config.read_only: false'],
    [{ read_only: true }, 'allow it with config.read_only: false'],
    [{ database: ':memory:', read_only: false }, 'has no table to write MPIDs back to'],
  ])('is refused for %j', async (config, message) => {
    await using warehouse = await fixture.start();
    const environment = { ...warehouse.environment, writes: true as const };
    const opening = duckdb.open({ database: warehouse.config.database, ...config }, environment, NEVER);
    await expect(opening).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining(message),
    });
  });

  it('waits until others of this process have read it', async () => {
    await using warehouse = await fixture.start();
    await warehouse.seed(PEOPLE);
    const reader = await openOn(fixture, warehouse);
    await readAll(reader, requestOf('SELECT 1 AS one'));
    await using writer = await openWriting(fixture, warehouse);
    const written = (async () => {
      const target = await targetOf(fixture, writer);
      return await writeBackOf(writer).apply(applyRequest(target, [staged('ann', 7n)]), NEVER);
    })();
    await reader[Symbol.asyncDispose]();
    expect(await written).toMatchObject({ updated: 1 });
    // who reads meanwhile shares it
    expect(await peopleOf(fixture, warehouse)).toMatchObject([['ann', null, 7n, null, 1]]);
  });

  it('keeps what was written when it closes', async () => {
    await using warehouse = await fixture.start();
    await warehouse.seed(PEOPLE);
    {
      await using writer = await openWriting(fixture, warehouse);
      const target = await targetOf(fixture, writer);
      await writeBackOf(writer).apply(applyRequest(target, [staged('ann', 7n)]), NEVER);
    }
    expect(await peopleOf(fixture, warehouse)).toMatchObject([['ann', null, 7n, null, 1]]);
  });

  it('lets a model of a writing session only read', async () => {
    await using warehouse = await fixture.start();
    await warehouse.seed(PEOPLE);
    await using writer = await openWriting(fixture, warehouse);
    const deleting = readAll(writer, requestOf('DELETE FROM people'));
    await expect(deleting).rejects.toMatchObject({ code: 'SQL_REFUSED' });
  });
});

describe('a file whose write-back ends', () => {
  it('is opened anew by a reader that comes while it is closed', async () => {
    await using scratch = await scratchWarehouse();
    await scratch.run('a.duckdb', 'CREATE TABLE t AS SELECT 42 AS a');
    for (let round = 0; round < 8; round++) {
      const writer = await scratch.open({ database: 'a.duckdb', read_only: false }, { writes: true });
      await rowsOf(writer, 'SELECT a FROM t');
      await using reader = await scratch.open({ database: 'a.duckdb' });
      const [rows] = await Promise.all([rowsOf(reader, 'SELECT a FROM t'), writer[Symbol.asyncDispose]()]);
      expect(rows).toEqual([[42]]);
    }
  });
});
