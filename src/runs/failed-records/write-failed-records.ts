import { itemAt } from '../../kernel/index.ts';
import type { Refusal, RefusedRow } from '../../mapping/index.ts';
import { cellsText, rowText, storableText } from '../../mapping/index.ts';
import { type CopyTarget, copyInstant, type Transaction } from '../../store/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';

const FAILED_RECORDS: CopyTarget = {
  table: 'failed_records',
  columns: [
    { name: 'workspace_id', type: 'int8' },
    { name: 'run_id', type: 'int8' },
    { name: 'id', type: 'int8' },
    { name: 'row', type: 'text' },
    { name: 'cells', type: 'text' },
    { name: 'columns_id', type: 'int4' },
    { name: 'field', type: 'text' },
    { name: 'value', type: 'text' },
    { name: 'rule', type: 'text' },
    { name: 'reason', type: 'text' },
    // timestamptz in binary is a bigint of microseconds since 2000
    { name: 'failed_on', type: 'int8' },
  ],
};

/** Columns of rows that may be kept. `id` differs between attempts. */
export interface KeptColumns {
  readonly id: number;
  readonly columns: readonly Column[];
}

interface FailedRows {
  readonly lease: RunLease;
  readonly columns: KeptColumns;
  readonly refused: readonly RefusedRow[];
  /** Number of records that the run already has. Ids count on from there. */
  readonly after: number;
  readonly nowMs: number;
}

/** Keeps whole rows that were not delivered, with field, value, rule and reason, so that a retry can deliver them. */
export async function writeFailedRecords(tx: Transaction, rows: FailedRows): Promise<void> {
  const { lease, columns, refused, after, nowMs } = rows;
  if (refused.length === 0) return;
  await writeColumns(tx, lease, columns);
  const failedOn = copyInstant(nowMs);
  await tx.copyIn(FAILED_RECORDS, refused.length, (index) => {
    const { row, refusal } = itemAt(refused, index);
    const kept = [rowText(columns.columns, row), cellsText(row), columns.id] as const;
    return [lease.workspaceId, lease.runId, after + index + 1, ...kept, ...textsOf(refusal), failedOn];
  });
}

/** Returns the texts of a refusal in a form that the store accepts. A text that it refused would undo the whole chunk. */
function textsOf({ field, value, rule, reason }: Refusal) {
  return [storableText(field), value === null ? null : storableText(value), rule, storableText(reason)] as const;
}

async function writeColumns(tx: Transaction, lease: RunLease, { id, columns }: KeptColumns): Promise<void> {
  await tx.execute(
    `INSERT INTO failed_columns (workspace_id, run_id, id, columns) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [lease.workspaceId, lease.runId, id, JSON.stringify(columns)],
  );
}

/** Keeps the failed records of a run readable, but not retryable. The next run reads their rows from the warehouse. */
export async function giveUpRecords(
  tx: Transaction,
  { workspaceId, runId }: Pick<RunLease, 'workspaceId' | 'runId'>,
): Promise<void> {
  await tx.execute(
    'UPDATE failed_records SET cells = NULL WHERE workspace_id = $1 AND run_id = $2 AND cells IS NOT NULL',
    [workspaceId, runId],
  );
}
