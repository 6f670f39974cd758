// Tables that are lost to Penstock for now (`clearTable`): not seen, or no longer where their connection leads.
import type { Transaction } from '../../store/index.ts';
import type { WrittenTable } from './written-tables.ts';

/** not shown: how long after an erasure a lost table is tried. A grant that was taken by mistake is back by then. */
export const LOST_DAYS = 30;

const DAY_MS = 86_400_000;

const lastDay = (nowMs: number) => new Date(nowMs - LOST_DAYS * DAY_MS);

/** Whether some of what waits for the table has waited for so long. */
export function hasOverdue({ waitingSince }: Pick<WrittenTable, 'waitingSince'>, nowMs: number): boolean {
  return waitingSince !== null && waitingSince < lastDay(nowMs);
}

/** Forgets the MPIDs that have waited for so long; and the table, if no other one waits for it. */
export async function giveUpOverdue(
  tx: Transaction,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  const table = [workspaceId, id];
  // an erasure that adds to what waits is over, or finds the table gone
  await tx.query('SELECT 1 FROM written_back_tables WHERE workspace_id = $1 AND id = $2 FOR UPDATE', table);
  await tx.execute('DELETE FROM erased_mpids WHERE workspace_id = $1 AND table_id = $2 AND erased_on < $3', [
    ...table,
    lastDay(nowMs),
  ]);
  await tx.execute(
    `DELETE FROM written_back_tables AS written WHERE written.workspace_id = $1 AND written.id = $2 AND NOT EXISTS (
       SELECT FROM erased_mpids AS erased WHERE erased.workspace_id = $1 AND erased.table_id = written.id)`,
    table,
  );
}
