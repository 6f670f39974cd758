// A run is a sequence of small steps. Each step is one transaction that holds the groups of the workspace, reads the run's
// position, does the next part and writes the new position. So any daemon may take the next step: it resumes there, and nothing
// is done twice. That needs no lease and no fence (D-115).
import { ENVIRONMENT_NUMBER, type Environment } from '../../identity/index.ts';
import { AppError, itemAt, microsOfMs } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { findDefinition, type GroupDefinition } from '../definition.ts';
import {
  addCounts,
  type CountsByEnvironment,
  type GroupCounts,
  type GroupRun,
  NO_COUNTS,
  type Progress,
} from '../group-run.ts';
import { LAST_KEY } from '../group-scope.ts';
import type { RunDeps } from '../groups-deps.ts';
import { updateRun } from '../update-run.ts';
import { dropEmptyGroups, writeAggregates } from '../write-aggregates.ts';
import { clearCandidates, collectCandidates, groupKeyPrefix } from './collect-candidates.ts';
import { moveMembers, nextKeys } from './move-members.ts';

/** The stages of a run in their order. Candidates of an unfinished run are deleted first. */
const STAGES: readonly Stage[] = [
  ...(['production', 'development'] as const).flatMap((environment): Stage[] => [
    { environment, work: clear },
    { environment, work: collect },
    { environment, work: settle },
    { environment, work: clear },
  ]),
];

interface Stage {
  readonly environment: Environment;
  readonly work: (part: Part) => Promise<Done>;
}

interface Part {
  readonly deps: RunDeps;
  readonly tx: Transaction;
  readonly run: GroupRun;
  readonly definition: GroupDefinition;
  readonly environment: Environment;
  readonly after: string | null;
}

interface Done {
  /** Key behind which the stage resumes; null when the stage is over. */
  readonly after: string | null;
  readonly counts?: Partial<GroupCounts>;
}

/** Takes the next step of a run, in the caller's transaction, which holds the groups of its workspace. */
export async function takeStep(deps: RunDeps, tx: Transaction, run: GroupRun): Promise<void> {
  const definition = await findDefinition(tx, run.workspaceId);
  if (definition === undefined)
    throw new AppError('INTERNAL', 'The run has no group definition, although deleting the definition ends its runs.');
  await forceIndexScans(tx);
  const { progress, counts } = positionOf(run, definition);
  const { stage, after } = progress;
  const { environment, work } = itemAt(STAGES, stage);
  const done = await work({ deps, tx, run, definition, environment, after });
  const next: Progress = {
    ...progress,
    stage: done.after === null ? stage + 1 : stage,
    after: done.after,
  };
  const isOver = next.stage === STAGES.length;
  const now = new Date(deps.clock.nowMs());
  await updateRun({ ...deps, tx }, run, {
    status: isOver ? 'success' : 'running',
    startedOn: run.startedOn ?? now,
    endedOn: isOver ? now : null,
    progress: isOver ? null : next,
    failures: 0,
    error: null,
    counts: { ...counts, [environment]: addCounts(counts[environment], done.counts ?? {}) },
  });
}

interface Position {
  readonly progress: Progress;
  readonly counts: CountsByEnvironment;
}

/** Returns where a run stands. At the first step, or when the definition has changed, it begins anew. */
function positionOf({ progress, counts }: GroupRun, { revision }: GroupDefinition): Position {
  if (progress?.revision === revision) return { progress, counts };
  return { progress: { revision, stage: 0, after: null }, counts: NO_COUNTS };
}

/**
 * Forces index look-ups. Otherwise the planner sorts the whole table for each part of a workspace that has grown since its
 * statistics.
 */
const forceIndexScans = (tx: Transaction) =>
  tx.execute('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');

const scopeOf = ({ run: { workspaceId }, environment }: Part) => ({
  workspaceId,
  environment: ENVIRONMENT_NUMBER[environment],
});

async function clear(part: Part): Promise<Done> {
  return { after: await clearCandidates(part.tx, scopeOf(part), part.after) };
}

async function collect(part: Part): Promise<Done> {
  const { deps, tx, run, environment, definition } = part;
  const prefix = groupKeyPrefix(deps.key, { workspaceId: run.workspaceId, environment });
  const { after, profiles } = await collectCandidates(tx, { ...scopeOf(part), definition, prefix }, part.after);
  return { after, counts: { profiles } };
}

async function settle(part: Part): Promise<Done> {
  const { deps, tx, run, definition } = part;
  const scope = scopeOf(part);
  const keys = await nextKeys(tx, scope, part.after);
  const moved = await moveMembers(tx, scope, { ...keys, runId: run.id });
  const setAt = microsOfMs(deps.clock.nowMs());
  const changed = await writeAggregates(tx, { ...scope, definition, setAt }, { ...keys, runId: run.id });
  await dropEmptyGroups(tx, scope, keys);
  return {
    after: keys.upTo === LAST_KEY ? null : keys.upTo,
    counts: { ...moved, changedProfiles: moved.changedProfiles + changed },
  };
}
