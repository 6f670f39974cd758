// Tables that Penstock has lost for now (`clearTable`): not visible, or no longer where their connection leads.
import type { Sql, Transaction } from '../../store/index.ts';
import type { WrittenTable } from './written-tables.ts';

/**
 * Days after which a lost table is given up. They count from the first cleanup that did not find it and, for each MPID, from
 * its erasure, whichever is later. A grant that was revoked by mistake is restored by then.
 */
export const LOST_DAYS = 30;

const DAY_MS = 86_400_000;

const lastDay = (nowMs: number) => new Date(nowMs - LOST_DAYS * DAY_MS);

/** Returns whether both the table is lost and some of its MPIDs wait for longer than that. */
export function hasOverdue(
  { waitingSince, lostSince }: Pick<WrittenTable, 'waitingSince' | 'lostSince'>,
  nowMs: number,
): boolean {
  const last = lastDay(nowMs);
  return waitingSince !== null && waitingSince < last && lostSince !== null && lostSince < last;
}

/** Records that a table is lost. Its days count from the first record. */
export async function markLost(
  sql: Sql,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  await sql.execute(
    'UPDATE written_back_tables SET lost_since = $3 WHERE workspace_id = $1 AND id = $2 AND lost_since IS NULL',
    [workspaceId, id, new Date(nowMs)],
  );
}

/** Records that a table was found, or that its state is unknown. When it is lost again, its days count anew. */
export async function clearLostMark(
  sql: Sql,
  { workspaceId, id, lostSince }: Pick<WrittenTable, 'workspaceId' | 'id' | 'lostSince'>,
): Promise<void> {
  if (lostSince === null) return;
  await sql.execute('UPDATE written_back_tables SET lost_since = NULL WHERE workspace_id = $1 AND id = $2', [
    workspaceId,
    id,
  ]);
}

/** Deletes the MPIDs that have waited for too long, and the table if no others wait for it. */
export async function giveUpOverdue(
  tx: Transaction,
  { workspaceId, id }: Pick<WrittenTable, 'workspaceId' | 'id'>,
  nowMs: number,
): Promise<void> {
  const table = [workspaceId, id];
  // a concurrent erasure that adds MPIDs has finished, or finds the table gone
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
