import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { cellsFromText, createRowHash, HASH_BYTES, type RowHash } from '../../mapping/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import { loadSnapshot } from '../lifecycle/run-snapshot.ts';
import { identifyingPositions } from './identifying-positions.ts';

interface RecordsOfRows {
  readonly workspaceId: WorkspaceId;
  readonly records: readonly { readonly runId: bigint; readonly id: bigint }[];
  readonly ledgerKey: Secret;
}

interface KeptRow {
  readonly runId: bigint;
  readonly cells: string;
  /** Columns of the cells, as JSON text. */
  readonly columns: string;
}

/**
 * Deletes the hashes of kept rows from the ledgers of their time lines, in which another run may have delivered an
 * equal row. Returns how many it deleted.
 * Hashes of delivered rows stay, because the row itself is stored nowhere. They are keyed and lead to nobody, and they
 * go when the position of their pipeline has passed them.
 */
export async function eraseHashes(tx: Transaction, records: RecordsOfRows): Promise<number> {
  const { workspaceId } = records;
  let erased = 0;
  for (const [runId, rows] of Map.groupBy(await loadRows(tx, records), (row) => row.runId)) {
    const run = await loadSnapshot(tx, { workspaceId, id: runId });
    if (run?.snapshot === undefined) continue;
    const { snapshot, pipelineNumber } = run;
    const timeLine = { workspaceId, pipelineNumber, generation: snapshot.pipeline.generation };
    for (const hash of hashesOf(rows, snapshot, records.ledgerKey)) {
      for (const chunk of await chunksWith(tx, timeLine, hash))
        erased += await cutOut(tx, { ...timeLine, hash }, chunk);
    }
  }
  return erased;
}

/** Returns the kept rows of the records. A row without cells was given up by its run, which has dropped its ledger. */
async function loadRows(tx: Transaction, { workspaceId, records }: RecordsOfRows): Promise<readonly KeptRow[]> {
  return await tx.query<KeptRow>(
    `SELECT record.run_id AS "runId", record.cells, kind.columns FROM failed_records AS record
     JOIN failed_columns AS kind
       ON kind.workspace_id = $1 AND kind.run_id = record.run_id AND kind.id = record.columns_id
     WHERE record.workspace_id = $1 AND record.cells IS NOT NULL
       AND (record.run_id, record.id) IN (SELECT run_id, id FROM unnest($2::bigint[], $3::bigint[]) AS named (run_id, id))`,
    [workspaceId, records.map(({ runId }) => runId), records.map(({ id }) => id)],
  );
}

/** Returns the distinct hashes of the rows. */
function hashesOf(rows: readonly KeptRow[], snapshot: RunSnapshot, key: Secret): readonly Buffer[] {
  const hashes = new Set<string>();
  for (const [columns, ofColumns] of Map.groupBy(rows, (row) => row.columns)) {
    const hash = rowHash(snapshot, JSON.parse(columns), key);
    for (const { cells } of ofColumns) hashes.add(hexOf(hash, cells));
  }
  return [...hashes].map((hex) => Buffer.from(hex, 'hex'));
}

/** Returns the row hash that the run itself used. */
function rowHash({ pipeline }: RunSnapshot, columns: readonly Column[], key: Secret): RowHash {
  return createRowHash({ key, columns, positions: identifyingPositions(pipeline, columns) ?? [...columns.keys()] });
}

function hexOf(hash: RowHash, cells: string): string {
  const bytes = Buffer.alloc(HASH_BYTES);
  hash.write(hash.textOf(cellsFromText(cells)), bytes, 0);
  return bytes.toString('hex');
}

/** The runs of a pipeline between two resets. */
interface TimeLine {
  readonly workspaceId: WorkspaceId;
  readonly pipelineNumber: bigint;
  readonly generation: number;
}

interface Chunk {
  readonly runId: bigint;
  readonly afterRows: bigint;
  readonly delivered: Uint8Array;
}

async function chunksWith(
  tx: Transaction,
  { workspaceId, pipelineNumber, generation }: TimeLine,
  hash: Buffer,
): Promise<readonly Chunk[]> {
  return await tx.query<Chunk>(
    `SELECT run_id AS "runId", after_rows AS "afterRows", delivered FROM run_chunks
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND position($4::bytea IN delivered) > 0
     FOR UPDATE`,
    [workspaceId, pipelineNumber, generation, hash],
  );
}

interface Cut extends TimeLine {
  readonly hash: Buffer;
}

async function cutOut(tx: Transaction, cut: Cut, { runId, afterRows, delivered }: Chunk): Promise<number> {
  const hashes = Buffer.from(delivered);
  const kept: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += HASH_BYTES) {
    const one = hashes.subarray(at, at + HASH_BYTES);
    if (!one.equals(cut.hash)) kept.push(one);
  }
  await tx.execute(
    `UPDATE run_chunks SET delivered = $6
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4 AND after_rows = $5`,
    [cut.workspaceId, cut.pipelineNumber, cut.generation, runId, afterRows, Buffer.concat(kept)],
  );
  return hashes.length / HASH_BYTES - kept.length;
}
