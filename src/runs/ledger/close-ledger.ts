// What becomes of a ledger when its run is over, or its time line. Each statement is part of the transaction that ends it.
import { formatMicros, type Micros } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { LedgerOwner } from './stored-hashes.ts';

/**
 * A run has come to its end. A full one delivered everything: nothing that is left of it, or of those that failed before it,
 * is needed, for the next one delivers everything again and a retry of those is refused.
 */
export async function closeLedger(tx: Transaction, owner: LedgerOwner): Promise<void> {
  if (owner.snapshot.pipeline.syncMode.type === 'full') await dropAllRuns(tx, owner);
  else await keepDelivered(tx, owner);
}

/**
 * A run is over that may not have delivered everything: what it delivered stays known to a retry of it and, of an incremental
 * one, to the runs after it. What it left out was for its own attempts.
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

/** A run is over that has delivered nothing, so that the next one delivers what this one took. */
export async function dropLedger(tx: Transaction, owner: LedgerOwner): Promise<void> {
  await dropChunks(tx, owner, true);
}

/** All of them, or only those that took no row. */
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
 * No later run starts before `start`: what the ledgers know of rows before it goes. From the latest of their ends on the
 * ledgers are still complete, and `ledger_from` says so, so that no lookback which grows later reaches back behind it.
 */
export async function dropPassed(tx: Transaction, owner: LedgerOwner, start: Micros): Promise<void> {
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

/** A reset has begun another time line: what was delivered before is delivered again. */
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
