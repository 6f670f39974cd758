import { and, asc, eq } from 'drizzle-orm';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { fieldTransformations } from '../tables.ts';
import { type FieldTransformation, fieldTransformationFromRow } from './field-transformation.ts';

/**
 * Returns the transformation with that id. `lock` holds the row to the end of the transaction; readers that only refer to it
 * share the lock.
 */
export async function findFieldTransformation(
  sql: Sql,
  key: { readonly workspaceId: WorkspaceId; readonly id: string },
  lock?: 'share' | 'update',
): Promise<FieldTransformation | undefined> {
  const query = sql.orm
    .select()
    .from(fieldTransformations)
    .where(and(eq(fieldTransformations.workspaceId, key.workspaceId), eq(fieldTransformations.id, key.id)));
  const [row] = await (lock === undefined ? query : query.for(lock));
  return row === undefined ? undefined : fieldTransformationFromRow(row);
}

/** Returns the transformation as `findFieldTransformation` does. Throws NOT_FOUND. */
export async function loadFieldTransformation(
  ...args: Parameters<typeof findFieldTransformation>
): Promise<FieldTransformation> {
  const transformation = await findFieldTransformation(...args);
  if (transformation !== undefined) return transformation;
  throw new AppError(
    'NOT_FOUND',
    `There is no field transformation "${args[1].id}" in this workspace; GET the list to see what is.`,
  );
}

/** Returns all transformations of the workspace, by id. */
export async function listFieldTransformations(
  sql: Sql,
  workspaceId: WorkspaceId,
): Promise<readonly FieldTransformation[]> {
  const rows = await sql.orm
    .select()
    .from(fieldTransformations)
    .where(eq(fieldTransformations.workspaceId, workspaceId))
    .orderBy(asc(fieldTransformations.id));
  return rows.map(fieldTransformationFromRow);
}

/** Returns the message for a body that names an unknown transformation (D-108). */
export function unknownFieldTransformation(id: string): string {
  return `there is no field transformation "${id}" in this workspace; create it, or name another`;
}
