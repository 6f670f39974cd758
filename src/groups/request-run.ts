import { desc, eq } from 'drizzle-orm';
import type { Jobs } from '../jobs/index.ts';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { findDefinition } from './definition.ts';
import { lockGroups } from './group-lock.ts';
import { type GroupRun, NO_COUNTS } from './group-run.ts';
import type { GroupsDeps } from './groups-deps.ts';
import { nextGroupRun } from './load-runs.ts';
import { groupRuns } from './tables.ts';

export const GROUPS_QUEUE = 'groups';

interface Wake {
  readonly workspaceId: WorkspaceId;
  readonly startAfterMs?: number;
}

/** Wakes a worker for the workspace's groups; the runs themselves are rows of the table. */
export function enqueueRuns(tx: Transaction, jobs: GroupsDeps['jobs'], wake: Wake): Promise<void> {
  const { workspaceId, ...rest } = wake;
  const job: Parameters<Jobs['enqueue']>[2] = { key: `${workspaceId}/groups`, ...rest };
  return jobs.enqueue(tx, GROUPS_QUEUE, job);
}

interface OnDemand extends Wake {
  readonly actor: string;
}

/**
 * Requests a run. A run that waits already is returned instead, because it will see all that a new one would. Throws NOT_FOUND
 * where the workspace has no definition.
 */
export async function requestGroupRun({ store, clock, jobs }: GroupsDeps, request: OnDemand): Promise<GroupRun> {
  const { actor, ...wake } = request;
  const { workspaceId } = wake;
  return store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    if ((await findDefinition(tx, workspaceId)) === undefined) {
      const message = `Workspace ${workspaceId} has no group definition; POST one to /platform/workspaces/${workspaceId}/groups/ first.`;
      throw new AppError('NOT_FOUND', message);
    }
    const next = await nextGroupRun(tx, workspaceId);
    const run =
      next?.status === 'queued'
        ? next
        : await insertRun(tx, { workspaceId, actor, requestedOn: new Date(clock.nowMs()), dueOn: null });
    await enqueueRuns(tx, jobs, wake);
    return run;
  });
}

/** Requests the weekly run of the Monday `dueOn`: one, however often and from how many daemons it is requested. */
export async function requestWeeklyRun(
  { store, clock, jobs }: GroupsDeps,
  { workspaceId, dueOn }: { readonly workspaceId: WorkspaceId; readonly dueOn: Date },
): Promise<void> {
  await store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    if ((await findDefinition(tx, workspaceId)) === undefined) return;
    const asked = await tx.query('SELECT 1 FROM group_runs WHERE workspace_id = $1 AND due_on = $2', [
      workspaceId,
      dueOn,
    ]);
    if (asked.length === 0) {
      const requestedOn = new Date(clock.nowMs());
      await insertRun(tx, { workspaceId, actor: 'schedule', requestedOn, dueOn });
    }
    await enqueueRuns(tx, jobs, { workspaceId });
  });
}

interface NewRun {
  readonly workspaceId: WorkspaceId;
  readonly actor: string;
  readonly requestedOn: Date;
  readonly dueOn: Date | null;
}

async function insertRun(tx: Transaction, { workspaceId, actor, requestedOn, dueOn }: NewRun): Promise<GroupRun> {
  const [last] = await tx.orm
    .select({ id: groupRuns.id })
    .from(groupRuns)
    .where(eq(groupRuns.workspaceId, workspaceId))
    .orderBy(desc(groupRuns.id))
    .limit(1);
  const [row] = await tx.orm
    .insert(groupRuns)
    .values({
      workspaceId,
      id: (last?.id ?? 0n) + 1n,
      type: dueOn === null ? 'on_demand' : 'weekly',
      dueOn,
      requestedBy: actor,
      requestedOn,
      status: 'queued',
      counts: NO_COUNTS,
      failures: 0,
    })
    .returning();
  if (row === undefined) throw new AppError('INTERNAL', 'The inserted run was not found.');
  return row;
}
