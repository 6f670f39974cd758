// Staging tables: their names, and dropping those that nobody uses any more. Each name identifies its run, so that the staging of killed runs can be told from that of active
// ones, also where several installations share a warehouse.
import { hash } from 'node:crypto';
import { asAppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { Session } from '../../warehouse/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { WrittenTable } from './written-tables.ts';

const MARK_DIGITS = 8;

/** Returns `penstock_stg_<mark>_`; the mark identifies installation and workspace. */
function prefixOf({ ledgerKey }: Pick<RunsDeps, 'ledgerKey'>, { workspaceId }: Pick<RunLease, 'workspaceId'>) {
  const mark = hash('sha256', `${ledgerKey.reveal()}\nstaging\n${workspaceId}`, 'hex').slice(0, MARK_DIGITS);
  return `penstock_stg_${mark}_`;
}

/** Returns a name with run and fence, so that two workers of one run never share a table. */
export function stagingName(
  deps: Pick<RunsDeps, 'ledgerKey'>,
  lease: Pick<RunLease, 'workspaceId' | 'runId' | 'fence'>,
): string {
  return `${prefixOf(deps, lease)}${lease.runId}_${lease.fence}`;
}

export interface Cleanup {
  readonly workspaceId: WorkspaceId;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** Drops staging of this workspace's runs that no worker uses under its fence any more. */
export async function dropLeftovers(deps: RunsDeps, { workspaceId, session, signal }: Cleanup): Promise<void> {
  const prefix = prefixOf(deps, { workspaceId });
  const names = (await session.writeBack?.listStaging(prefix, signal)) ?? [];
  if (names.length === 0) return;
  const alive = await runningNames(deps, workspaceId);
  const dead = names.filter((name) => !alive.has(name));
  if (dead.length > 0) await session.writeBack?.dropStaging(dead, signal);
}

async function runningNames(deps: RunsDeps, workspaceId: WorkspaceId): Promise<ReadonlySet<string>> {
  const rows = await deps.store.query<{ id: bigint; fence: number }>(
    "SELECT id, fence FROM pipeline_runs WHERE workspace_id = $1 AND status = 'running'",
    [workspaceId],
  );
  return new Set(rows.map(({ id, fence }) => stagingName(deps, { workspaceId, runId: id, fence })));
}

export interface OwnStaging {
  readonly claimed: RunLease;
  readonly tableId: bigint;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/**
 * Drops the run's staging after the last update. A table that the connector could not drop is dropped now, or by the cleanup.
 * If another worker has taken the run over, its staging stays.
 */
export async function dropOwnStaging(deps: RunsDeps, { claimed, tableId, session, signal }: OwnStaging): Promise<void> {
  const { workspaceId, runId, fence } = claimed;
  const prefix = `${prefixOf(deps, claimed)}${runId}_`;
  try {
    const names = (await session.writeBack?.listStaging(prefix, signal)) ?? [];
    const own = names.filter((name) => Number(name.slice(prefix.length)) <= fence);
    if (own.length > 0) await session.writeBack?.dropStaging(own, signal);
    if (own.length < names.length) return;
    await noteStagingGone(deps.store, { workspaceId, id: tableId, stagedBy: runId }, fence);
  } catch (thrown) {
    deps.log.warn({ run: String(runId), reason: asAppError(thrown).message }, 'write_back.staging_left');
  }
}

/**
 * Records that the run `stagedBy` has left no staging there, or that it was dropped. Leaves the record of another run that came
 * meanwhile.
 * With `fence`, records it only while no other worker has taken the run over.
 */
export async function noteStagingGone(
  sql: Sql,
  { workspaceId, id, stagedBy }: Pick<WrittenTable, 'workspaceId' | 'id' | 'stagedBy'>,
  fence: number | null = null,
): Promise<void> {
  await sql.execute(
    `UPDATE written_back_tables SET staged_by = NULL
     WHERE workspace_id = $1 AND id = $2 AND staged_by = $3 AND NOT EXISTS (SELECT FROM pipeline_runs AS run
       WHERE run.workspace_id = $1 AND run.id = $3 AND run.fence <> $4::int4)`,
    [workspaceId, id, stagedBy, fence],
  );
}
