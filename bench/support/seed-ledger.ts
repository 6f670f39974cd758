// A run that looks as if most of its rows had been delivered: their real hashes in its ledger, and its counters as high. So
// that resuming ten million rows can be measured without delivering them first, which takes ten times as long.
import { duckdb } from '../../connectors/duckdb/index.ts';
import type { Secret } from '../../src/kernel/index.ts';
import { createRowHash, HASH_BYTES } from '../../src/mapping/cells/row-hash.ts';
import type { Store } from '../../src/store/index.ts';
import type { Cell } from '../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../../test/support/fakes/warehouse-environment.ts';
import { MODEL } from './people-warehouse.ts';

/** As many as the daemon delivers at once, unless told otherwise. */
const CHUNK_ROWS = 10_000;

export interface LedgerSeed {
  readonly store: Store;
  readonly run: string;
  /** The workspace's folder, and the database in it. */
  readonly folder: string;
  readonly database: string;
  readonly key: Secret;
  readonly rows: number;
}

/** To be called while no daemon works on the run. Rows that it had delivered are among those that are seeded. */
export async function seedLedger(seed: LedgerSeed): Promise<void> {
  const { store, run, rows } = seed;
  const [owner] = await store.query<{ key: string }>(
    `DELETE FROM run_chunks WHERE run_id = ${run}
     RETURNING concat_ws(', ', workspace_id, pipeline_number, generation, run_id) AS key`,
  );
  if (owner === undefined) throw new Error('The run has to deliver a chunk first.');
  let afterRows = 0;
  for await (const hashes of hashesOf(seed)) {
    await store.execute(`INSERT INTO run_chunks VALUES (${owner.key}, $1, $2, '')`, [afterRows, hashes]);
    afterRows += hashes.length / HASH_BYTES;
  }
  await store.execute(
    `UPDATE pipeline_runs SET extracted_records = ${rows}, successful_records = ${rows} WHERE id = ${run}`,
  );
}

async function* hashesOf({ folder, database, key, rows }: LedgerSeed): AsyncGenerator<Buffer, void, undefined> {
  const { signal } = new AbortController();
  await using session = await duckdb.open({ database }, warehouseEnvironment({ folder, memoryMb: 256 }), signal);
  const statement = { sql: `SELECT * FROM (${MODEL}) LIMIT ${rows}`, parameters: {} };
  const { columns, chunks } = await session.read({ statement, chunkRows: CHUNK_ROWS, chunkBytes: 1 << 30 }, signal);
  const hash = createRowHash({ key, columns, positions: [...columns.keys()] });
  for await (const chunk of chunks) yield hashesOfChunk(hash, chunk);
}

function hashesOfChunk(hash: ReturnType<typeof createRowHash>, rows: readonly (readonly Cell[])[]): Buffer {
  const hashes = Buffer.alloc(rows.length * HASH_BYTES);
  for (const [index, row] of rows.entries()) hash.write(hash.textOf(row), hashes, index * HASH_BYTES);
  return hashes;
}
