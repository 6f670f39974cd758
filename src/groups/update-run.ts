import { and, eq, isNull } from 'drizzle-orm';
import type { Clock, Log, WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { type GroupRun, totalOf } from './group-run.ts';
import { groupRuns } from './tables.ts';

/** The columns of a run that change. */
type Changes = Partial<
  Pick<GroupRun, 'status' | 'startedOn' | 'endedOn' | 'progress' | 'counts' | 'failures' | 'error'>
>;

interface Writing {
  readonly tx: Transaction;
  readonly log: Log;
}

/** Writes the changes, and logs the end of the run. */
export async function updateRun({ tx, log }: Writing, run: GroupRun, changes: Changes): Promise<void> {
  await tx.orm
    .update(groupRuns)
    .set(changes)
    .where(and(eq(groupRuns.workspaceId, run.workspaceId), eq(groupRuns.id, run.id)));
  const after = { ...run, ...changes };
  if (after.endedOn === null) return;
  const { workspaceId, id, type, status, error } = after;
  const facts = { workspace: String(workspaceId), groupRun: String(id), type, status, error, ...totalOf(after.counts) };
  tx.afterCommit(() => log.info(facts, 'groups.run_ended'));
}

/** Ends all open runs of the workspace. */
export async function stopRuns(
  tx: Transaction,
  { workspaceId, clock, reason }: { readonly workspaceId: WorkspaceId; readonly clock: Clock; readonly reason: string },
): Promise<void> {
  await tx.orm
    .update(groupRuns)
    .set({ status: 'stopped', endedOn: new Date(clock.nowMs()), progress: null, error: reason })
    .where(and(eq(groupRuns.workspaceId, workspaceId), isNull(groupRuns.endedOn)));
}
