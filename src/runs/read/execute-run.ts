import { findFeed, readSettings } from '../../access/index.ts';
import { AppError } from '../../kernel/index.ts';
import { executeRetry } from '../failed-records/execute-retry.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { at } from '../lifecycle/fault-subject.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { clearFormerTables } from '../write-back/clear-tables.ts';
import { executeWriteBack, requireWriteBack } from '../write-back/execute-write-back.ts';
import { readWriteBackModel } from '../write-back/read-write-back-model.ts';
import { executeReading } from './execute-reading.ts';
import type { Execution, PipelineFeed } from './execution.ts';
import { connectorOf, openSession, placeOf } from './open-session.ts';

/** Executes a claimed run up to its result, over the warehouse of its connection or over failed records. */
export async function executeRun(deps: RunsDeps, claimed: ClaimedRun): Promise<RunResult> {
  const execution = await openExecution(deps, claimed);
  return claimed.retry === undefined
    ? await executeOverWarehouse(deps, execution)
    : await executeRetry(deps, execution, claimed.retry);
}

/** Begins an attempt. Throws FEED_INACTIVE. */
async function openExecution(deps: RunsDeps, claimed: ClaimedRun): Promise<Execution> {
  const { workspaceId, snapshot, job } = claimed;
  const deadlineMs = deps.clock.nowMs() + deps.settings.runHoldMs;
  const feed = await findActiveFeed(deps, claimed);
  const settings = await readSettings(deps.store, workspaceId, deps.ceilings);
  const { identity = settings.identity } = snapshot;
  return { claimed, signal: job.signal, deadlineMs, settings: { ...settings, identity }, feed };
}

/** Returns the feed of the pipeline. Throws FEED_INACTIVE where it is not active. That stops the pipeline (D-021). */
async function findActiveFeed({ store }: RunsDeps, claimed: ClaimedRun): Promise<PipelineFeed | undefined> {
  const { partnerFeedId: id } = claimed.snapshot.pipeline;
  if (id === undefined) return undefined;
  const feed = await findFeed(store, claimed.workspaceId, BigInt(id));
  if (feed?.isActive === true) return feed;
  throw new AppError(
    'FEED_INACTIVE',
    `The feed ${feed === undefined ? id : `"${feed.name}"`} of this pipeline is not active; activate it, then PUT or trigger the pipeline.`,
  );
}

/**
 * Clears the tables that the pipeline has written before, then writes back or reads, by the model (D-095). Errors without a
 * subject concern the connection until the session is open, and the data model from then on.
 */
async function executeOverWarehouse(deps: RunsDeps, execution: Execution): Promise<RunResult> {
  const { claimed, signal } = execution;
  const { workspaceId, snapshot, runId } = claimed;
  const { connection, pipeline } = snapshot;
  const connector = connectorOf(deps, connection);
  const place = placeOf(connector, connection);
  const plan = await readWriteBackModel(execution, connector);
  const target = plan.kind === 'yes' ? plan.model.table.join('.') : undefined;
  const former = await clearFormerTables(deps, { claimed, place, signal }, target);
  const writes = plan.kind === 'yes';
  if (writes) requireWriteBack(connector, connection);
  await using session = await openSession(deps, { workspaceId, connection, connector, signal, writes });
  const label = { pipeline: pipeline.id, run: String(runId) };
  const connected = { ...execution, connector, place, session, label };
  const result = await at('data model', () =>
    plan.kind === 'yes' ? executeWriteBack(deps, connected, plan.model) : executeReading(deps, connected, plan),
  );
  return { ...result, ...former, warnings: [...result.warnings, ...former.warnings] };
}
