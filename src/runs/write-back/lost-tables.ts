// Tables that are lost to Penstock for now (`clearTable`): not seen, or no longer where their connection leads.
import type { Sql, Transaction } from '../../store/index.ts';
import type { WrittenTable } from './written-tables.ts';

/**
 * Days for which a lost table is looked for: counted from the first look that did not find it and, for each MPID, from
 * its erasure, whichever is later. A grant that was revoked by mistake is back by then.
 */
export const LOST_DAYS = 30;

const DAY_MS = 86_400_000;

const lastDay = (nowMs: number) => new Date(nowMs - LOST_DAYS * DAY_MS);

/** Whether the table is lost for so long, and some of what waits for it has waited for so long. */
export function hasOverdue(
  { waitingSince, lostSince }: Pick<WrittenTable, 'waitingSince' | 'lostSince'>,
  nowMs: number,
): boolean {
  const last = lastDay(nowMs);
  return waitingSince !== null && waitingSince < last && lostSince !== null && lostSince < last;
}

/** A look found it lost: from the first of them its days are counted. */
export async function noteLost(
  sql: Sql,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  await sql.execute(
    'UPDATE written_back_tables SET lost_since = $3 WHERE workspace_id = $1 AND id = $2 AND lost_since IS NULL',
    [workspaceId, id, new Date(nowMs)],
  );
}

/** A look found it, or could not tell: its days are counted anew when it is lost again. */
export async function noteNotLost(
  sql: Sql,
  { workspaceId, id, lostSince }: Pick<WrittenTable, 'workspaceId' | 'id' | 'lostSince'>,
): Promise<void> {
  if (lostSince === null) return;
  await sql.execute('UPDATE written_back_tables SET lost_since = NULL WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
  ]);
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
