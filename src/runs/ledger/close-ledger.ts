// Closes the ledger of a run, or of a time line. Each statement belongs to the transaction that ends the run.
import { formatMicros, type Micros } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { LedgerOwner } from './stored-hashes.ts';

/**
 * Closes the ledger of a successful run. An incremental run keeps its delivered rows, except those before `nextStart`, where
 * the next run starts.
 * A full run delivered everything, so its ledger and those of earlier failed runs are dropped: the next run delivers everything
 * again, and the failed runs cannot be requeued any more.
 */
export async function closeLedger(tx: Transaction, owner: LedgerOwner, nextStart: Micros | undefined): Promise<void> {
  if (owner.snapshot.pipeline.syncMode.type === 'full') await dropAllRuns(tx, owner);
  else await keepDelivered(tx, owner);
  if (nextStart !== undefined) await dropPassed(tx, owner, nextStart);
}

/**
 * Keeps the delivered rows of a run that may have delivered only a part, for a requeue and, in an incremental pipeline, for
 * later runs.
 * Drops its deduplicated keys: only its own attempts needed them.
 */
export async function keepDelivered(tx: Transaction, owner: LedgerOwner): Promise<void> {
  await dropChunks(tx, owner, false);
  await dropDeduplicated(tx, owner);
}

async function dropAllRuns(tx: Transaction, { workspaceId, pipelineNumber, snapshot }: LedgerOwner): Promise<void> {
  await tx.execute('DELETE FROM run_chunks WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3', [
    workspaceId,
    pipelineNumber,
    snapshot.pipeline.generation,
  ]);
}

/** Drops the ledger of a run that delivered nothing, so that the next run delivers the rows it took. */
export async function dropLedger(tx: Transaction, owner: LedgerOwner): Promise<void> {
  await dropChunks(tx, owner, true);
}

/** Deletes chunks of the run: all of them, or only those that delivered no row. */
async function dropChunks(tx: Transaction, owner: LedgerOwner, all: boolean): Promise<void> {
  await tx.execute(
    `DELETE FROM run_chunks
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4
       AND ($5 OR octet_length(delivered) = 0)`,
    [...ownKey(owner), all],
  );
}

async function dropDeduplicated(tx: Transaction, owner: LedgerOwner): Promise<void> {
  await tx.execute(
    `UPDATE run_chunks SET deduplicated = ''
     WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND run_id = $4
       AND octet_length(deduplicated) > 0`,
    ownKey(owner),
  );
}

function ownKey({ workspaceId, pipelineNumber, runId, snapshot }: LedgerOwner) {
  return [workspaceId, pipelineNumber, snapshot.pipeline.generation, runId];
}

/**
 * Drops what ledgers know of rows before `start`, because no later run starts before it.
 * The ledgers remain complete from the latest end of a dropped chunk on. `ledger_from` records that instant, so that no
 * lookback that grows later reaches behind it.
 */
async function dropPassed(tx: Transaction, owner: LedgerOwner, start: Micros): Promise<void> {
  const { workspaceId, pipelineNumber, snapshot } = owner;
  await tx.execute(
    `WITH passed AS (
       DELETE FROM run_chunks
       WHERE workspace_id = $1 AND pipeline_number = $2 AND generation = $3 AND ends_before <= $4
       RETURNING ends_before)
     UPDATE pipelines SET ledger_from = greatest(ledger_from, (SELECT max(ends_before) FROM passed))
     WHERE workspace_id = $1 AND number = $2 AND generation = $3`,
    [workspaceId, pipelineNumber, snapshot.pipeline.generation, formatMicros(start)],
  );
}

/** Drops the ledgers from before the latest reset. Rows that were delivered before a reset are delivered again. */
export async function dropFormerGenerations(
  tx: Transaction,
  {
    workspaceId,
    pipelineNumber,
    generation,
  }: Omit<LedgerOwner, 'runId' | 'snapshot'> & { readonly generation: number },
): Promise<void> {
  await tx.execute('DELETE FROM run_chunks WHERE workspace_id = $1 AND pipeline_number = $2 AND generation < $3', [
    workspaceId,
    pipelineNumber,
    generation,
  ]);
}
