import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { dataModels } from '../tables.ts';
import type { DataModel } from './data-model.ts';

/**
 * Returns the data model with that id. `lock` holds the row to the end of the transaction; readers that only refer to it share
 * the lock.
 */
export async function findDataModel(
  sql: Sql,
  key: { readonly workspaceId: WorkspaceId; readonly id: string },
  lock?: 'share' | 'update',
): Promise<DataModel | undefined> {
  const query = sql.orm
    .select()
    .from(dataModels)
    .where(and(eq(dataModels.workspaceId, key.workspaceId), eq(dataModels.id, key.id)));
  const [row] = await (lock === undefined ? query : query.for(lock));
  return row === undefined ? undefined : dataModelFromRow(row);
}

/** Returns the data model as `findDataModel` does. Throws NOT_FOUND. */
export async function loadDataModel(...args: Parameters<typeof findDataModel>): Promise<DataModel> {
  const model = await findDataModel(...args);
  if (model !== undefined) return model;
  throw new AppError(
    'NOT_FOUND',
    `There is no data model "${args[1].id}" in this workspace; GET the list to see what exists.`,
  );
}

/** Returns all data models of the workspace, by id. */
export async function listDataModels(sql: Sql, workspaceId: WorkspaceId): Promise<readonly DataModel[]> {
  const rows = await sql.orm
    .select()
    .from(dataModels)
    .where(eq(dataModels.workspaceId, workspaceId))
    .orderBy(asc(dataModels.id));
  return rows.map(dataModelFromRow);
}

/** Builds a data model from its row. */
export function dataModelFromRow(row: InferSelectModel<typeof dataModels>): DataModel {
  return { ...row, workspaceId: workspaceId(row.workspaceId) };
}

/** Returns the message for a body that names an unknown data model (D-108). */
export function unknownDataModel(id: string): string {
  return `there is no data model "${id}" in this workspace; create it, or name another`;
}
