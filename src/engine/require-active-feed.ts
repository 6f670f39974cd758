import { findFeed } from '../access/index.ts';
import { AppError } from '../kernel/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import type { EngineDeps } from './engine-deps.ts';

/** Throws FEED_INACTIVE where the pipeline's feed is not active: that stops the pipeline (rulings §7). */
export async function requireActiveFeed({ store }: EngineDeps, { workspaceId, snapshot }: ClaimedRun): Promise<void> {
  const { partnerFeedId: id } = snapshot.pipeline;
  if (id === undefined) return;
  const feed = await findFeed(store, workspaceId, BigInt(id));
  if (feed?.isActive === true) return;
  throw new AppError(
    'FEED_INACTIVE',
    `The feed ${feed === undefined ? id : `"${feed.name}"`} of this pipeline is not active; activate it, then PUT or trigger the pipeline.`,
  );
}
