import { and, asc, eq } from 'drizzle-orm';
import { PROVIDERS, providerOf } from '../../../connectors/facts.ts';
import { AppError, fitsInt64, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { feeds } from '../tables.ts';

export type FeedRow = Readonly<typeof feeds.$inferSelect>;

/** Returns the workspace's feeds, the oldest first. */
export async function listFeeds(sql: Sql, id: WorkspaceId): Promise<readonly FeedRow[]> {
  return sql.orm.select().from(feeds).where(eq(feeds.workspaceId, id)).orderBy(asc(feeds.id));
}

/** Returns undefined where the workspace has no such feed. */
export async function findFeed(sql: Sql, workspace: WorkspaceId, id: bigint): Promise<FeedRow | undefined> {
  if (!fitsInt64(id)) return undefined;
  const [row] = await sql.orm
    .select()
    .from(feeds)
    .where(and(eq(feeds.workspaceId, workspace), eq(feeds.id, id)));
  return row;
}

/** Returns the feed of a key, or undefined where no feed of this workspace has it. */
export async function findFeedByKey(sql: Sql, workspace: WorkspaceId, key: string): Promise<FeedRow | undefined> {
  const [row] = await sql.orm
    .select()
    .from(feeds)
    .where(and(eq(feeds.workspaceId, workspace), eq(feeds.key, key)));
  return row;
}

/** Returns the feed. Throws NOT_FOUND where the workspace has no such feed. */
export async function requireFeed(sql: Sql, workspace: WorkspaceId, id: bigint): Promise<FeedRow> {
  const row = await findFeed(sql, workspace, id);
  if (row === undefined) throw new AppError('NOT_FOUND', `There is no feed ${id} in this workspace.`);
  return row;
}

/** Returns a warehouse's neutral word, also for the name of its product; any other name as it was given. */
export function moduleOf(name: string): string {
  return providerOf(name)?.toLowerCase() ?? name;
}

const WAREHOUSES: ReadonlySet<string> = new Set(PROVIDERS.map((provider) => provider.toLowerCase()));

/** Returns true where a feed's module, as it is stored, is a warehouse. */
export function isWarehouseModule(moduleName: string): boolean {
  return WAREHOUSES.has(moduleName);
}
