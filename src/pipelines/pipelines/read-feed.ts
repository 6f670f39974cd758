import { findFeed, findFeedByKey } from '../../access/index.ts';
import { AppError, refuse, SECRET_MASK, Secret, type WorkspaceId } from '../../kernel/index.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import type { KeptFields, Pipeline } from './pipeline.ts';
import type { Body } from './pipeline-draft.ts';

type Feed = Pick<KeptFields, 'partnerFeedId' | 'partnerFeedKey'>;

interface Named {
  readonly body: Pick<Body, 'id' | 'partner_feed_id' | 'partner_feed_key'>;
  /** The pipeline that a PUT replaces. */
  readonly stored: Pipeline | undefined;
}

/**
 * Returns the feed of a pipeline, named by its id, by its key, or by both. Throws VALIDATION_FAILED.
 * A feed named by its key is stored with its id, so that everything else uses the id. Each run checks that the feed is active.
 */
export async function readFeed(deps: PipelinesDeps, workspaceId: WorkspaceId, { body, stored }: Named): Promise<Feed> {
  const { partner_feed_id: id, partner_feed_key: key } = body;
  const named = id == null ? undefined : String(id);
  if (named !== undefined && (await findFeed(deps.store, workspaceId, BigInt(named))) === undefined) {
    throw refused('partner_feed_id', `there is no feed ${named} in this workspace; create one first, or leave it out`);
  }
  if (key == null) return named === undefined ? {} : { partnerFeedId: named };
  const byKey = key === SECRET_MASK ? storedFeed(stored) : await newFeed(deps, workspaceId, { id: body.id, key });
  if (named !== undefined && named !== byKey.partnerFeedId) {
    const message = `is the key of the feed ${byKey.partnerFeedId}, but partner_feed_id is ${named}; leave one of them out`;
    throw refused('partner_feed_key', message);
  }
  return byKey;
}

/**
 * Returns the fields of a PUT once its row is locked. A mask keeps the key of the locked row, which may have been re-encrypted
 * since the body was read. Throws STORE_CONFLICT when it is the key of another feed by now.
 */
export function keepFeedKey(kept: KeptFields, { body, stored }: Required<Named>): KeptFields {
  if (body.partner_feed_key !== SECRET_MASK) return kept;
  const { partnerFeedId, partnerFeedKey } = storedFeed(stored);
  if (partnerFeedId === kept.partnerFeedId) return { ...kept, partnerFeedKey };
  throw new AppError('STORE_CONFLICT', 'The pipeline got another feed at the same time; send the request again.');
}

function storedFeed(stored: Pipeline | undefined): Required<Feed> {
  const { partnerFeedId, partnerFeedKey } = stored?.kept ?? {};
  if (partnerFeedId !== undefined && partnerFeedKey !== undefined) return { partnerFeedId, partnerFeedKey };
  throw refused('partner_feed_key', 'is the mask, but no key is stored; send the key, or leave it out');
}

async function newFeed(
  { store, keyRing }: PipelinesDeps,
  workspaceId: WorkspaceId,
  { id, key }: { readonly id: string; readonly key: string },
): Promise<Feed> {
  const feed = await findFeedByKey(store, workspaceId, key);
  if (feed === undefined)
    throw refused('partner_feed_key', 'is not the key of a feed of this workspace; list the feeds to find their keys');
  const sealed = keyRing.encrypt(new Secret(key), feedKeyContext(workspaceId, id));
  return { partnerFeedId: String(feed.id), partnerFeedKey: sealed };
}

/** Returns the context to which the encrypted key of a feed is bound. */
export const feedKeyContext = (workspaceId: WorkspaceId, pipelineId: string): string =>
  `${workspaceId}/pipeline/${pipelineId}/partner_feed_key`;

function refused(path: string, message: string) {
  return refuse([{ path, message }]);
}
