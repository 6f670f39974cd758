// POST and PUT of a field transformation: checked against the schema of the batch, and on a PUT against the models of
// the pipelines that use it (D-102). Live runs keep the version they started with (D-089).
import { and, eq } from 'drizzle-orm';
import type { Static } from 'typebox';
import { readSettings, recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, type Issue, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { changedFields } from '../changed-fields.ts';
import { checkTransformationUsers, type NoticesOfUsers } from '../checks/check-users.ts';
import { refreshWarnings } from '../checks/refresh-warnings.ts';
import type { FieldTransformationBody } from '../contract/field-transformation.ts';
import { releasePipelines } from '../pipelines/fault.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { fieldTransformations } from '../tables.ts';
import { fieldTransformationAnswer } from '../wire/field-transformation-answer.ts';
import { checkMappings } from './check-mappings.ts';
import type { FieldMapping, FieldTransformation } from './field-transformation.ts';
import { fieldTransformationFromRow, loadFieldTransformation, mappingsForStore } from './load-field-transformation.ts';
import { readMappings } from './read-mappings.ts';

type Body = Static<typeof FieldTransformationBody>;

/** Creates a field transformation. Throws VALIDATION_FAILED with every complaint, and DUPLICATE_ID. */
export async function createFieldTransformation(
  deps: PipelinesDeps,
  { workspaceId, actor }: Caller,
  body: Body,
): Promise<FieldTransformation> {
  const mappings = await checkedMappings(deps, workspaceId, body);
  const createdOn = new Date(deps.clock.nowMs());
  return deps.store.transaction(async (tx) => {
    const inserted = await tx.orm
      .insert(fieldTransformations)
      .values({
        workspaceId,
        id: body.id,
        name: body.name,
        destinationType: body.destination_type,
        mappings: mappingsForStore(mappings),
        createdOn,
        createdBy: actor,
      })
      .onConflictDoNothing()
      .returning();
    if (inserted[0] === undefined) {
      const message = `id: this workspace already has a field transformation "${body.id}"; PUT it, or choose another id.`;
      throw new AppError('DUPLICATE_ID', message);
    }
    const created = fieldTransformationFromRow(inserted[0]);
    await recordChange(tx, {
      workspaceId,
      occurredOn: createdOn,
      actor,
      action: 'field_transformation.created',
      resource: `field_transformation/${body.id}`,
      detail: changedFields(undefined, fieldTransformationAnswer(created)),
    });
    return created;
  });
}

/**
 * Replaces a field transformation and clears the faults of the pipelines that use it, which it may have fixed. Throws NOT_FOUND
 * and VALIDATION_FAILED.
 */
export async function replaceFieldTransformation(
  deps: PipelinesDeps,
  caller: Caller,
  { id, body }: { readonly id: string; readonly body: Body },
): Promise<FieldTransformation> {
  const { workspaceId } = caller;
  const stored = await loadFieldTransformation(deps.store, { workspaceId, id });
  if (body.id !== id) throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
  const mappings = await checkedMappings(deps, workspaceId, body);
  const users = await loadPipelines(deps.store, { workspaceId, fieldTransformationId: id });
  const noticed = await checkTransformationUsers(
    deps,
    users.map((user) => ({ ...user, transformation: { ...stored, mappings } })),
  );
  return deps.store.transaction((tx) => overwrite(tx, { deps, caller, body, mappings, noticed }));
}

interface Overwriting {
  readonly deps: PipelinesDeps;
  readonly caller: Caller;
  readonly body: Body;
  readonly mappings: readonly FieldMapping[];
  readonly noticed: NoticesOfUsers;
}

async function overwrite(
  tx: Transaction,
  { deps, caller, body, mappings, noticed }: Overwriting,
): Promise<FieldTransformation> {
  const { workspaceId, actor } = caller;
  const { id, name } = body;
  const nowMs = deps.clock.nowMs();
  const before = await loadFieldTransformation(tx, { workspaceId, id }, 'update');
  const updated = await tx.orm
    .update(fieldTransformations)
    .set({ name, mappings: mappingsForStore(mappings), lastModifiedOn: new Date(nowMs), lastModifiedBy: actor })
    .where(and(eq(fieldTransformations.workspaceId, workspaceId), eq(fieldTransformations.id, id)))
    .returning();
  if (updated[0] === undefined)
    throw new AppError('NOT_FOUND', `The transformation "${id}" was deleted in the meantime.`);
  const after = fieldTransformationFromRow(updated[0]);
  await releasePipelines(tx, { workspaceId, fieldTransformationId: id }, nowMs);
  await refreshWarnings(tx, { workspaceId, fieldTransformationId: id }, noticed);
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'field_transformation.updated',
    resource: `field_transformation/${id}`,
    detail: changedFields(fieldTransformationAnswer(before), fieldTransformationAnswer(after)),
  });
  return after;
}

/**
 * Returns the mappings. Throws VALIDATION_FAILED with the missing fields of each line and the issues of the schema, in one
 * answer.
 */
async function checkedMappings(
  { store, ceilings }: PipelinesDeps,
  workspaceId: WorkspaceId,
  body: Body,
): Promise<readonly FieldMapping[]> {
  const issues: Issue[] = [];
  const mappings = readMappings(body.mappings, issues);
  const { limits } = await readSettings(store, workspaceId, ceilings);
  issues.push(...checkMappings(mappings, limits));
  if (issues.length > 0) throw refuse(issues);
  return mappings.filter((mapping) => mapping !== undefined);
}
