import { expireChanges, type Retention, workspaceRetentions } from '../access/index.ts';
import { expireRuns, tablesWaitedFor } from '../engine/index.ts';
import { dropPartitions, expireBatches, expireRejected, expireRequests } from '../events/index.ts';
import { expireGroupRuns } from '../groups/index.ts';
import type { Clock, Log, WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

interface ExpiryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What the workspaces keep no longer goes: batches, those that were rejected, what their senders called
 * them, entries of the audit log, failed records, runs, deleted pipelines. What has waited too long is said.
 * Whole months of batches first, so that nothing in them is deleted one by one.
 */
export async function expireAll({ store, clock, log }: ExpiryDeps, signal: AbortSignal): Promise<void> {
  const retentions: Retention[] = [];
  for await (const retention of workspaceRetentions({ store, clock })) retentions.push(retention);
  await dropPartitions({ store, log }, retentions);
  for (const retention of retentions) {
    if (signal.aborted) return;
    const batches = await expireBatches(store, retention, signal);
    const { workspaceId } = retention;
    const requests = await expireRequests(store, { workspaceId, nowMs: clock.nowMs() }, signal);
    const rejected = await expireRejected(store, retention, signal);
    const changes = await expireChanges(store, retention, signal);
    const groupRuns = await expireGroupRuns(store, retention, signal);
    const gone = { batches, requests, rejected, changes, groupRuns, ...(await expireRuns(store, retention, signal)) };
    const isIdle = Object.values(gone).every((count) => count === 0);
    if (!isIdle) log.info({ workspace: String(workspaceId), ...gone }, 'retention.expired');
    await warnOfWaiting({ store, clock, log }, workspaceId);
  }
}

/** Longer than a week a pipeline should not go without a run that clears its table of erased people. */
const WAIT_MS = 7 * 86_400_000;

async function warnOfWaiting({ store, clock, log }: ExpiryDeps, workspaceId: WorkspaceId): Promise<void> {
  const since = new Date(clock.nowMs() - WAIT_MS);
  for (const table of await tablesWaitedFor(store, { workspaceId, since })) {
    const { pipelineId: pipeline, connectionId: connection, tableName, waiting } = table;
    const detail = { workspace: String(workspaceId), pipeline, connection, table: tableName, mpids: Number(waiting) };
    log.warn(detail, 'write_back.erased_waiting');
  }
}
