import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { cellsFromText } from '../mapping/cells-text.ts';
import { type RunSnapshot, snapshotFromText } from '../run-snapshot.ts';
import { identifyingPositions } from './identifying-positions.ts';
import { createRowHash, HASH_BYTES, type RowHash } from './row-hash.ts';

interface RecordsOfRows {
  readonly workspaceId: WorkspaceId;
  readonly records: readonly { readonly runId: bigint; readonly id: bigint }[];
  readonly ledgerKey: Secret;
}

interface KeptRow {
  readonly runId: bigint;
  readonly cells: string;
  readonly columnsId: number;
}

/** Takes the hashes of kept rows out of the ledgers of their runs; answers how many went. */
export async function eraseHashes(tx: Transaction, records: RecordsOfRows): Promise<number> {
  const { workspaceId } = records;
  let erased = 0;
  for (const [runId, rows] of Map.groupBy(await loadRows(tx, records), (row) => row.runId)) {
    for (const hash of await hashesOf(tx, { ...records, runId, rows })) {
      for (const chunk of await chunksWith(tx, { workspaceId, runId, hash })) {
        erased += await cutOut(tx, { workspaceId, runId, hash }, chunk);
      }
    }
  }
  return erased;
}

/** A row without cells was given up by its run, which has dropped its ledger. */
async function loadRows(tx: Transaction, { workspaceId, records }: RecordsOfRows): Promise<readonly KeptRow[]> {
  return await tx.query<KeptRow>(
    `SELECT run_id AS "runId", cells, columns_id AS "columnsId" FROM failed_records
     WHERE workspace_id = $1 AND cells IS NOT NULL AND columns_id IS NOT NULL
       AND (run_id, id) IN (SELECT run_id, id FROM unnest($2::bigint[], $3::bigint[]) AS named (run_id, id))`,
    [workspaceId, records.map(({ runId }) => runId), records.map(({ id }) => id)],
  );
}

interface RowsOfRun extends RecordsOfRows {
  readonly runId: bigint;
  readonly rows: readonly KeptRow[];
}

/** Each once. */
async function hashesOf(tx: Transaction, { workspaceId, runId, rows, ledgerKey: key }: RowsOfRun) {
  const kinds = await tx.query<{ readonly id: number; readonly columns: string }>(
    'SELECT id, columns FROM failed_columns WHERE workspace_id = $1 AND run_id = $2',
    [workspaceId, runId],
  );
  const [run] = await tx.query<{ readonly snapshot: string | null }>(
    'SELECT snapshot FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [workspaceId, runId],
  );
  if (run === undefined || run.snapshot === null) return [];
  const snapshot = snapshotFromText(run.snapshot);
  const hashOf = new Map(kinds.map(({ id, columns }) => [id, rowHash(snapshot, JSON.parse(columns), key)]));
  const hashes = new Set(rows.map(({ cells, columnsId }) => hexOf(hashOf.get(columnsId), cells)));
  return [...hashes].filter((hex) => hex !== '').map((hex) => Buffer.from(hex, 'hex'));
}

/** As the run itself has made it. */
function rowHash({ pipeline }: RunSnapshot, columns: readonly Column[], key: Secret): RowHash {
  return createRowHash({ key, columns, positions: identifyingPositions(pipeline, columns) ?? [...columns.keys()] });
}

function hexOf(rowHash: RowHash | undefined, cells: string): string {
  if (rowHash === undefined) return '';
  const bytes = Buffer.alloc(HASH_BYTES);
  rowHash.write(rowHash.textOf(cellsFromText(cells)), bytes, 0);
  return bytes.toString('hex');
}

interface HashOfRun {
  readonly workspaceId: WorkspaceId;
  readonly runId: bigint;
  readonly hash: Buffer;
}

interface Chunk {
  readonly pipelineNumber: bigint;
  readonly generation: number;
  readonly afterRows: bigint;
  readonly delivered: Uint8Array;
}

async function chunksWith(tx: Transaction, { workspaceId, runId, hash }: HashOfRun): Promise<readonly Chunk[]> {
  return await tx.query<Chunk>(
    `SELECT pipeline_number AS "pipelineNumber", generation, after_rows AS "afterRows", delivered FROM run_chunks
     WHERE workspace_id = $1 AND pipeline_number = (
         SELECT pipeline_number FROM pipeline_runs AS run WHERE run.workspace_id = $1 AND run.id = $2)
       AND run_id = $2 AND position($3::bytea IN delivered) > 0 FOR UPDATE`,
    [workspaceId, runId, hash],
  );
}

async function cutOut(tx: Transaction, { workspaceId, runId, hash }: HashOfRun, chunk: Chunk): Promise<number> {
  const hashes = Buffer.from(chunk.delivered);
  const kept: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += HASH_BYTES) {
    const one = hashes.subarray(at, at + HASH_BYTES);
    if (!one.equals(hash)) kept.push(one);
  }
  await tx.execute(
    `UPDATE run_chunks SET delivered = $6
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4 AND after_rows = $5`,
    [workspaceId, chunk.pipelineNumber, chunk.generation, runId, chunk.afterRows, Buffer.concat(kept)],
  );
  return hashes.length / HASH_BYTES - kept.length;
}
