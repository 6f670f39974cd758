import { type AppError, asAppError, ERROR_CODES, framesOf, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { findDefinition } from '../definition.ts';
import { lockGroups } from '../group-lock.ts';
import type { GroupRun } from '../group-run.ts';
import type { RunDeps } from '../groups-deps.ts';
import { nextGroupRun } from '../load-runs.ts';
import { updateRun } from '../update-run.ts';
import { takeStep } from './take-step.ts';
import { tidyGroups } from './tidy-groups.ts';

/** Steps of a run that fail one behind the other before it is given up. */
const FAILURES_MOST = 5;

export interface Work {
  readonly workspaceId: WorkspaceId;
  /** An abort ends it between two steps; whoever comes next goes on there. */
  readonly signal?: AbortSignal;
  /** Called in the transaction that finds nothing left to do: a run that is requested later is a new job's. */
  readonly complete?: (tx: Transaction) => Promise<void>;
  /** Called after each step, with the run as it was before. */
  readonly onStep?: (run: GroupRun | undefined) => void;
}

/** Carries out what there is to do for the groups of a workspace. Throws when a step fails; called again, it goes on there. */
export async function workGroupRuns(deps: RunDeps, work: Work): Promise<void> {
  for (let isOver = false; !isOver; ) {
    work.signal?.throwIfAborted();
    const { run, outcome } = await oneStep(deps, work);
    work.onStep?.(run);
    isOver = outcome === 'nothing';
  }
}

type Outcome = 'step' | 'nothing';

async function oneStep(deps: RunDeps, work: Work): Promise<{ run: GroupRun | undefined; outcome: Outcome }> {
  const { workspaceId } = work;
  let current: GroupRun | undefined;
  try {
    return await deps.store.transaction(async (tx) => {
      await lockGroups(tx, workspaceId);
      current = await nextGroupRun(tx, workspaceId);
      const outcome = current === undefined ? await rest(tx, work) : await step(deps, tx, current);
      return { run: current, outcome };
    });
  } catch (thrown) {
    const error = asAppError(thrown);
    if (current !== undefined && isOurs(error)) await countFailure(deps, current, error);
    throw error;
  }
}

async function step(deps: RunDeps, tx: Transaction, run: GroupRun): Promise<Outcome> {
  await takeStep(deps, tx, run);
  return 'step';
}

async function rest(tx: Transaction, { workspaceId, complete }: Work): Promise<Outcome> {
  const isDefined = (await findDefinition(tx, workspaceId)) !== undefined;
  if (!isDefined && (await tidyGroups(tx, workspaceId)) > 0) return 'step';
  await complete?.(tx);
  return 'nothing';
}

/** A store that is away, or a daemon that goes down, says nothing about the run. */
function isOurs({ disposition }: AppError): boolean {
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
    // the store's own words may hold a value of somebody
    const reason = `${error.code}: ${ERROR_CODES[error.code].meaning}`;
    const end = { status: 'failed', endedOn: new Date(deps.clock.nowMs()), progress: null } as const;
    const isHopeless = failures >= FAILURES_MOST;
    await updateRun({ ...deps, tx }, now, { failures, error: reason, ...(isHopeless ? end : {}) });
  });
}
