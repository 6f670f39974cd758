// Removes from the store's files what a DELETE leaves there: one vacuum a night, for all erasures completed since the last.
import { asAppError, type Clock, type Log } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';

export interface VacuumDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Vacuums the store where an erasure was completed since the last vacuum, and marks these erasures. An erasure completed after
 * a transaction that is still open waits for the next vacuum. So do all of them where a table was left out. A failed vacuum is
 * logged and repeated the next night. Throws on an abort only.
 */
export async function vacuumAfterErasures({ store, clock, log }: VacuumDeps, signal: AbortSignal): Promise<void> {
  try {
    if (!(await hasUnvacuumedErasures(store))) return;
    const startedMs = clock.nowMs();
    const { left, oldestOpenMs } = await store.vacuum(signal);
    if (left.length > 0) return log.warn({ tables: left }, 'dsr.tables_not_vacuumed');
    const vacuum = { before: new Date(startedMs - oldestOpenMs), vacuumedOn: new Date(clock.nowMs()) };
    for (const workspaceId of await workspacesOf(store)) await markVacuumed(store, workspaceId, vacuum);
  } catch (thrown) {
    // another daemon takes over
    if (signal.aborted) throw thrown;
    log.warn({ code: asAppError(thrown).code }, 'dsr.vacuum_failed');
  }
}

const UNVACUUMED = `type = 'erasure' AND status = 'completed' AND vacuumed_on IS NULL`;

export async function hasUnvacuumedErasures(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `/* across workspaces: one vacuum for all */ SELECT 1 FROM dsr_requests WHERE ${UNVACUUMED} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Returns how many erasures completed before that time are not vacuumed, and the time of the first of them. */
export async function countUnvacuumedErasures(
  sql: Sql,
  completedBefore: Date,
): Promise<{ readonly erasures: number; readonly since: Date | null }> {
  const [row] = await sql.query<{ readonly erasures: bigint; readonly since: Date | null }>(
    `/* across workspaces: doctor */ SELECT count(*) AS erasures, min(completed_on) AS since FROM dsr_requests
     WHERE ${UNVACUUMED} AND completed_on < $1`,
    [completedBefore],
  );
  return { erasures: Number(row?.erasures ?? 0n), since: row?.since ?? null };
}

async function workspacesOf(sql: Sql): Promise<readonly bigint[]> {
  const rows = await sql.query<{ readonly id: bigint }>(
    `/* across workspaces: one vacuum for all */ SELECT DISTINCT workspace_id AS id FROM dsr_requests WHERE ${UNVACUUMED}`,
  );
  return rows.map(({ id }) => id);
}

/** Lead of a completion time over the clock, beyond which it was written by a clock that has been set back since. */
const AHEAD_MS = 3_600_000;

interface Vacuum {
  /** Time before which no transaction is open any more. */
  readonly before: Date;
  readonly vacuumedOn: Date;
}

async function markVacuumed(sql: Sql, workspaceId: bigint, { before, vacuumedOn }: Vacuum): Promise<void> {
  await sql.execute(
    `UPDATE dsr_requests SET vacuumed_on = $4
     WHERE workspace_id = $1 AND ${UNVACUUMED} AND (completed_on <= $2 OR completed_on > $3)`,
    [workspaceId, before, new Date(vacuumedOn.getTime() + AHEAD_MS), vacuumedOn],
  );
}

/** Makes the next vacuum cover these requests, whose people were erased again. */
export async function requireVacuum(sql: Sql, workspaceId: bigint, requestIds: readonly string[]): Promise<void> {
  await sql.execute(
    `UPDATE dsr_requests SET vacuumed_on = NULL
     WHERE workspace_id = $1 AND id = ANY ($2::uuid[]) AND vacuumed_on IS NOT NULL`,
    [workspaceId, requestIds],
  );
}
