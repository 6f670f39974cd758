// A batch is received before it is committed, so the newest times of the log may still gain batches. An export must not
// pass those times, or its cursor would skip batches that commit late. So it asks first how far the log is settled.
import { listDeliveriesUnderWay } from '../../identity/index.ts';
import { type Clock, itemAt, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';

const LOOK_MS = 20;

export interface SettleDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
  /** Most time to wait for deliveries that are under way. */
  readonly waitMs: number;
}

/**
 * Returns the time up to which the log is settled: all batches received by then are committed, and no more will come.
 * Returns undefined when no time is settled yet. It announces a time first. A delivery that begins later reads this time
 * and receives its batches after it, whatever its own clock shows. Then it waits for deliveries that began before. When
 * one of them takes too long, the time that was settled before holds.
 */
export async function settleLog(deps: SettleDeps, workspaceId: WorkspaceId): Promise<Date | undefined> {
  const { sql, clock } = deps;
  const { announced, settled } = await announce(sql, workspaceId, new Date(clock.nowMs()));
  if (!(await waitForDeliveries(deps, await listDeliveriesUnderWay(sql)))) return settled ?? undefined;
  await sql.execute('UPDATE log_horizons SET settled = greatest(settled, $2) WHERE workspace_id = $1', [
    workspaceId,
    announced,
  ]);
  return announced;
}

/**
 * Returns the time after which a delivery must receive. Ask while holding the creation lock, by which
 * `listDeliveriesUnderWay` finds it.
 */
export async function announcedTime(sql: Sql, workspaceId: WorkspaceId): Promise<Date | undefined> {
  const rows = await sql.query<{ announced: Date }>('SELECT announced FROM log_horizons WHERE workspace_id = $1', [
    workspaceId,
  ]);
  return rows[0]?.announced;
}

interface Horizon {
  readonly announced: Date;
  readonly settled: Date | null;
}

/** Announces a time after the one before. Otherwise batches kept right behind that one would wait for a clock that lags. */
async function announce(sql: Sql, workspaceId: WorkspaceId, now: Date): Promise<Horizon> {
  const rows = await sql.query<Horizon>(
    `INSERT INTO log_horizons AS held (workspace_id, announced) VALUES ($1, $2)
     ON CONFLICT (workspace_id) DO UPDATE SET announced = greatest(held.announced + interval '1 ms', $2)
     RETURNING announced, settled`,
    [workspaceId, now],
  );
  return itemAt(rows, 0);
}

async function waitForDeliveries(
  { sql, clock, signal, waitMs }: SettleDeps,
  transactions: ReadonlySet<string>,
): Promise<boolean> {
  let open = transactions;
  for (let waitedMs = 0; open.size > 0; waitedMs += LOOK_MS) {
    if (waitedMs >= waitMs || signal.aborted) return false;
    await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    const now = await listDeliveriesUnderWay(sql);
    open = new Set([...open].filter((transaction) => now.has(transaction)));
  }
  return true;
}
