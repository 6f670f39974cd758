import { type AppError, asAppError, ERROR_CODES, framesOf, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { findDefinition } from '../definition.ts';
import { lockGroups } from '../group-lock.ts';
import type { GroupRun } from '../group-run.ts';
import type { RunDeps } from '../groups-deps.ts';
import { nextGroupRun } from '../load-runs.ts';
import { updateRun } from '../update-run.ts';
import { takeStep } from './take-step.ts';

/** Consecutive failed steps after which a run fails. */
const FAILURES_MOST = 5;

export interface Work {
  readonly workspaceId: WorkspaceId;
  /** An abort stops between two steps; the next worker resumes there. */
  readonly signal?: AbortSignal;
  /** Called in the transaction that finds nothing left to do. A run that is requested later belongs to a new job. */
  readonly complete?: (tx: Transaction) => Promise<void>;
  /** Called after each step, with the run as it was before. */
  readonly onStep?: (run: GroupRun | undefined) => void;
}

/** Carries out all open runs of a workspace's groups. Throws when a step fails; the next call resumes there. */
export async function workGroupRuns(deps: RunDeps, work: Work): Promise<void> {
  for (let isOver = false; !isOver; ) {
    work.signal?.throwIfAborted();
    const { run, outcome } = await workOneStep(deps, work);
    work.onStep?.(run);
    isOver = outcome === 'nothing';
  }
}

type Outcome = 'step' | 'nothing';

async function workOneStep(deps: RunDeps, work: Work): Promise<{ run: GroupRun | undefined; outcome: Outcome }> {
  const { workspaceId } = work;
  let current: GroupRun | undefined;
  try {
    return await deps.store.transaction(async (tx) => {
      await lockGroups(tx, workspaceId);
      current = await nextGroupRun(tx, workspaceId);
      if (current === undefined) return { run: undefined, outcome: await cleanUp(tx, work) };
      await takeStep(deps, tx, current);
      return { run: current, outcome: 'step' };
    });
  } catch (thrown) {
    const error = asAppError(thrown);
    if (current !== undefined && countsAgainstRun(error)) await countFailure(deps, current, error);
    throw error;
  }
}

/** Deletes a part of memberships that have outlived their definition. When none is left, completes the job. */
async function cleanUp(tx: Transaction, { workspaceId, complete }: Work): Promise<Outcome> {
  const isDefined = (await findDefinition(tx, workspaceId)) !== undefined;
  if (!isDefined && (await deleteMemberships(tx, workspaceId)) > 0) return 'step';
  await complete?.(tx);
  return 'nothing';
}

const ROWS_AT_ONCE = 20_000;

/** Deletes a part of the memberships of a workspace without a definition. Returns how many; 0 where none is left. */
async function deleteMemberships(tx: Transaction, workspaceId: WorkspaceId): Promise<number> {
  const members = await tx.execute(
    `DELETE FROM group_members WHERE workspace_id = $1 AND (environment, mpid) IN (
       SELECT environment, mpid FROM group_members WHERE workspace_id = $1 LIMIT ${ROWS_AT_ONCE})`,
    [workspaceId],
  );
  const candidates = await tx.execute(
    `DELETE FROM group_candidates WHERE workspace_id = $1 AND (environment, mpid) IN (
       SELECT environment, mpid FROM group_candidates WHERE workspace_id = $1 LIMIT ${ROWS_AT_ONCE})`,
    [workspaceId],
  );
  return members + candidates;
}

/** Tells whether an error counts against the run. A missing store, or a daemon that shuts down, says nothing about the run. */
function countsAgainstRun({ disposition }: AppError): boolean {
  return disposition !== 'retry' && disposition !== 'cancelled';
}

async function countFailure(deps: RunDeps, run: GroupRun, error: AppError): Promise<void> {
  const { workspaceId } = run;
  const where = { workspace: String(workspaceId), groupRun: String(run.id) };
  deps.log.error({ ...where, code: error.code, frames: framesOf(error) }, 'groups.step_failed');
  await deps.store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    const now = await nextGroupRun(tx, workspaceId);
    if (now?.id !== run.id) return;
    const failures = now.failures + 1;
    // the store's own message may quote a person's value
    const reason = `${error.code}: ${ERROR_CODES[error.code].meaning}`;
    const end = { status: 'failed', endedOn: new Date(deps.clock.nowMs()), progress: null } as const;
    const isFinal = failures >= FAILURES_MOST;
    await updateRun({ ...deps, tx }, now, { failures, error: reason, ...(isFinal ? end : {}) });
  });
}
