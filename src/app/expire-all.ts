import { expireChanges, type Retention, readRetention, workspaceIds } from '../access/index.ts';
import { dropPartitions, expireBatches, expireRejected, expireRequests } from '../events/index.ts';
import { expireGroupRuns } from '../groups/index.ts';
import { type Clock, eachApart, failureOf, type Log, type WorkspaceId } from '../kernel/index.ts';
import { expireRuns, tablesWaitedFor } from '../runs/index.ts';
import type { Store } from '../store/index.ts';

interface ExpiryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Deletes what is past its retention: batches, rejected batches, request ids, entries of the audit log, reports of group
 * runs, failed records, runs, deleted pipelines. Whole months of batches are dropped first, so that nothing in them is
 * deleted one by one. A deletion that fails is logged and tried again the next day; the others go on. Also warns of
 * pipelines whose tables wait for a cleanup.
 */
export async function expireAll(deps: ExpiryDeps, signal: AbortSignal): Promise<void> {
  const retentions: Retention[] = [];
  const ids = await workspaceIds(deps.store);
  await eachApart(ids, (id) =>
    logged(
      deps,
      id,
      readRetention(deps, id).then((retention) => retentions.push(retention)),
    ),
  );
  // a workspace whose retention could not be read may keep a month
  if (retentions.length === ids.length) await dropPartitions(deps, retentions);
  const expire = (retention: Retention) =>
    logged(deps, retention.workspaceId, expireWorkspace(deps, retention, signal));
  await eachApart(retentions, expire, signal);
}

async function logged({ log }: ExpiryDeps, id: WorkspaceId, work: Promise<unknown>): Promise<void> {
  const error = await failureOf(work);
  if (error !== undefined) log.error({ workspace: String(id), err: error }, 'retention.failed');
}

async function expireWorkspace(deps: ExpiryDeps, retention: Retention, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = deps;
  const { workspaceId } = retention;
  const gone: Record<string, number> = {};
  const count = (name: string, expire: () => Promise<number>) => async () => {
    gone[name] = await expire();
  };
  const steps = [
    count('batches', () => expireBatches(store, retention, signal)),
    count('requests', () => expireRequests(store, { workspaceId, nowMs: clock.nowMs() }, signal)),
    count('rejected', () => expireRejected(store, retention, signal)),
    count('changes', () => expireChanges(store, retention, signal)),
    count('groupRuns', () => expireGroupRuns(store, retention, signal)),
    async () => Object.assign(gone, await expireRuns(store, retention, signal)),
    () => warnOfWaiting(deps, workspaceId),
  ];
  try {
    await eachApart(steps, (step) => step(), signal);
  } finally {
    const isIdle = Object.values(gone).every((number) => number === 0);
    if (!isIdle) log.info({ workspace: String(workspaceId), ...gone }, 'retention.expired');
  }
}

/** A week: the longest that a pipeline should go without a run that removes erased people from its table. */
const WAIT_MS = 7 * 86_400_000;

async function warnOfWaiting({ store, clock, log }: ExpiryDeps, workspaceId: WorkspaceId): Promise<void> {
  const since = new Date(clock.nowMs() - WAIT_MS);
  for (const table of await tablesWaitedFor(store, { workspaceId, since })) {
    const { pipelineId: pipeline, connectionId: connection, tableName, waiting } = table;
    const detail = { workspace: String(workspaceId), pipeline, connection, table: tableName, mpids: Number(waiting) };
    log.warn(detail, 'write_back.erased_waiting');
  }
}
