import { and, asc, eq, type InferSelectModel } from 'drizzle-orm';
import { AppError, parseJson, stringifyJson, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { fieldTransformations } from '../tables.ts';
import type { FieldMapping, FieldTransformation } from './field-transformation.ts';

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
    `There is no field transformation "${args[1].id}" in this workspace; GET the list to see what exists.`,
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

/** Builds a field transformation from its row. */
export function fieldTransformationFromRow(row: InferSelectModel<typeof fieldTransformations>): FieldTransformation {
  const { id, name, createdOn, createdBy, lastModifiedOn, lastModifiedBy } = row;
  return {
    workspaceId: workspaceId(row.workspaceId),
    id,
    name,
    mappings: mappingsFromStore(row.mappings),
    createdOn,
    createdBy,
    lastModifiedOn,
    lastModifiedBy,
  };
}

/** Returns mappings as JSON text, with every digit of a number. */
export function mappingsForStore(mappings: readonly FieldMapping[]): string {
  return stringifyJson(mappings);
}

function mappingsFromStore(text: string): readonly FieldMapping[] {
  return parseJson(text) as unknown as readonly FieldMapping[];
}

/** Returns the message for a body that names an unknown transformation (D-108). */
export function unknownFieldTransformation(id: string): string {
  return `there is no field transformation "${id}" in this workspace; create it, or name another`;
}
