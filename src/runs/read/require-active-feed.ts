import { findFeed } from '../../access/index.ts';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { RunsDeps } from '../runs-deps.ts';

/** Returns the feed of the pipeline's data. Returns undefined where the pipeline names none, or a deleted one. */
export async function feedOf(sql: Sql, workspaceId: WorkspaceId, { partnerFeedId: id }: RunSnapshot['pipeline']) {
  return id === undefined ? undefined : await findFeed(sql, workspaceId, BigInt(id));
}

/** Throws FEED_INACTIVE where the pipeline's feed is not active. That stops the pipeline (D-021). */
export async function requireActiveFeed({ store }: RunsDeps, { workspaceId, snapshot }: ClaimedRun): Promise<void> {
  const { partnerFeedId: id } = snapshot.pipeline;
  if (id === undefined) return;
  const feed = await feedOf(store, workspaceId, snapshot.pipeline);
  if (feed?.isActive === true) return;
  throw new AppError(
    'FEED_INACTIVE',
    `The feed ${feed === undefined ? id : `"${feed.name}"`} of this pipeline is not active; activate it, then PUT or trigger the pipeline.`,
  );
}
