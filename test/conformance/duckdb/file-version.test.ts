import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rowsOf, type Scratch, scratchWarehouse } from './scratch-warehouse.ts';

it.each([
  ['v2.1.0', 'DuckDB v2.1.0'],
  ['', 'a version of DuckDB that it does not name'],
])('names the version that made a file of a later one: "%s"', async (library, maker) => {
  await using scratch = await scratchWarehouse();
  await writeFileOf(scratch, library, 99n);
  await using session = await scratch.open({ database: 'later.duckdb' });
  await expect(rowsOf(session, 'SELECT * FROM t')).rejects.toMatchObject({
    code: 'WAREHOUSE_CONFIG',
    message: expect.stringMatching(
      new RegExp(
        `^The file was made by ${maker} \\(storage version 99\\)\\. Penstock reads with DuckDB v1\\.5\\.6, storage versions between`,
      ),
    ),
  });
});

it('tells a way that the same DuckDB takes', async () => {
  await using scratch = await scratchWarehouse();
  const copy = join(scratch.folder, 'new.duckdb').replaceAll("'", "''");
  await scratch.run(
    'old.duckdb',
    'CREATE TABLE t AS SELECT 1 AS a',
    `ATTACH '${copy}' AS new (STORAGE_VERSION 'v1.5.6')`,
    'COPY FROM DATABASE old TO new',
  );
  await using session = await scratch.open({ database: 'new.duckdb' });
  expect(await rowsOf(session, 'SELECT a FROM t')).toEqual([[1]]);
});

/** Writes a file whose header says that another version made it. The checksum of DuckDB's storage is over its words. */
async function writeFileOf(scratch: Scratch, library: string, storage: bigint): Promise<void> {
  await scratch.run('now.duckdb', 'CREATE TABLE t AS SELECT 1 AS a');
  const file = await readFile(join(scratch.folder, 'now.duckdb'));
  file.writeBigUInt64LE(storage, 12);
  file.fill(0, 52, 84).write(library, 52, 'latin1');
  let sum = 5381n;
  for (let at = 8; at < 4096; at += 8) sum ^= BigInt.asUintN(64, file.readBigUInt64LE(at) * 0xbf58476d1ce4e5b9n);
  file.writeBigUInt64LE(sum, 0);
  await writeFile(join(scratch.folder, 'later.duckdb'), file);
}
