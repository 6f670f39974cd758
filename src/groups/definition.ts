import { eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import type { AGGREGATIONS } from './contract/definition.ts';
import { groupDefinitions } from './tables.ts';

export type Aggregation = (typeof AGGREGATIONS)[number];

export interface GroupAttribute {
  /** The user attribute that the group shares. */
  readonly id: string;
  readonly type: Aggregation;
}

/** The definition of a workspace's groups. */
export type GroupDefinition = Readonly<InferSelectModel<typeof groupDefinitions>>;

/** Returns the only definition of the workspace. */
export async function findDefinition(sql: Sql, workspaceId: WorkspaceId): Promise<GroupDefinition | undefined> {
  const [row] = await sql.orm.select().from(groupDefinitions).where(eq(groupDefinitions.workspaceId, workspaceId));
  return row;
}

/** Returns the definition. Throws NOT_FOUND. */
export async function loadDefinition(
  sql: Sql,
  { workspaceId, id }: Pick<GroupDefinition, 'workspaceId' | 'id'>,
): Promise<GroupDefinition> {
  const definition = await findDefinition(sql, workspaceId);
  if (definition?.id === id) return definition;
  throw new AppError(
    'NOT_FOUND',
    `There is no group definition "${id}" in this workspace; GET the list to see what exists.`,
  );
}
