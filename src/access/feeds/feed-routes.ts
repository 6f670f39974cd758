import { eq } from 'drizzle-orm';
import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, WorkspaceParam } from '../../http/index.ts';
import { AppError, formatTime, parseJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { AccessDeps } from '../access-deps.ts';
import { CreatedFeed, FEED_READ_ONLY, FeedBody, FeedList } from '../contract/feed.ts';
import { workspaces } from '../tables.ts';
import { createFeed } from './create-feed.ts';
import { type FeedRow, listFeeds, requireFeed } from './feed.ts';

const PATH = '/v1/workspace/:workspaceId/partnerfeeds';
const WorkspaceParams = Type.Object({ workspaceId: WorkspaceParam });
const AccountQuery = Type.Object({
  // text, because no id is malformed: a wrong one is just not the workspace's
  accountId: Type.Optional(
    Type.String({ description: 'Id of the workspace’s account; `penstock workspace list` shows it.' }),
  ),
});

/** Returns the endpoints that create and read feeds (D-021). */
export function feedEndpoints(deps: AccessDeps): readonly Endpoint[] {
  return [postFeed(deps), getFeeds(deps), getFeed(deps)];
}

const common = { api: 'platform_v2', tag: 'Feeds', query: AccountQuery } as const;
const REFUSALS = { 403: 'The credentials do not allow this, or accountId is not the account of the workspace.' };

function postFeed(deps: AccessDeps): Endpoint {
  return defineEndpoint({
    ...common,
    method: 'POST',
    path: PATH,
    credential: 'platform_admin',
    operationId: 'createFeed',
    summary: 'Create a feed',
    description: 'The answer contains the key of the feed and, only this once, its secret.',
    params: WorkspaceParams,
    body: FeedBody,
    ignoredFields: FEED_READ_ONLY,
    responses: { 200: CreatedFeed },
    refusals: { ...REFUSALS, 409: 'The workspace already has a feed of that name.' },
    async handler({ caller, query, body }) {
      await requireAccountOf(deps.store, caller.workspaceId, query.accountId ?? '');
      const { feed, secret } = await createFeed(deps, caller, body);
      return { status: 200, body: envelope([{ ...madeAnswer(feed), secret: secret.reveal() }]) };
    },
  });
}

function getFeeds({ store }: AccessDeps): Endpoint {
  return defineEndpoint({
    ...common,
    method: 'GET',
    path: PATH,
    credential: 'platform_read',
    operationId: 'listFeeds',
    summary: 'List feeds',
    description: 'Does not show secrets.',
    params: WorkspaceParams,
    responses: { 200: FeedList },
    refusals: REFUSALS,
    async handler({ caller, query }) {
      await requireAccountOf(store, caller.workspaceId, query.accountId ?? '');
      return { status: 200, body: envelope((await listFeeds(store, caller.workspaceId)).map(feedAnswer)) };
    },
  });
}

function getFeed({ store }: AccessDeps): Endpoint {
  return defineEndpoint({
    ...common,
    method: 'GET',
    path: `${PATH}/:feedId`,
    credential: 'platform_read',
    operationId: 'getFeed',
    summary: 'Get a feed',
    description: 'Does not show the secret.',
    params: Type.Object({ workspaceId: WorkspaceParam, feedId: Int64() }),
    responses: { 200: FeedList },
    refusals: REFUSALS,
    async handler({ caller, params, query }) {
      await requireAccountOf(store, caller.workspaceId, query.accountId ?? '');
      const feed = await requireFeed(store, caller.workspaceId, BigInt(params.feedId));
      return { status: 200, body: envelope([feedAnswer(feed)]) };
    },
  });
}

/** Throws FORBIDDEN for a wrong or missing account; reads are checked too (D-021). */
async function requireAccountOf(sql: Sql, id: WorkspaceId, accountId: string): Promise<void> {
  const [row] = await sql.orm.select({ accountId: workspaces.accountId }).from(workspaces).where(eq(workspaces.id, id));
  if (String(row?.accountId) === accountId) return;
  const problem = accountId === '' ? 'is missing' : `"${accountId}" is not the account of this workspace`;
  throw new AppError('FORBIDDEN', `The query parameter accountId ${problem}; \`penstock workspace list\` shows it.`);
}

const envelope = (data: readonly unknown[]) => ({ data, data_type: 'partner_feed', errors: null });

function madeAnswer({ id, name, moduleName, key, createdOn }: FeedRow) {
  return { id, data_type: 'partner_feed', name, module_name: moduleName, key, created_on: formatTime(createdOn) };
}

function feedAnswer(row: FeedRow) {
  const { os, settings, isActive, createdBy } = row;
  return { ...madeAnswer(row), os, settings: parseJson(settings), is_active: isActive, created_by: createdBy };
}
