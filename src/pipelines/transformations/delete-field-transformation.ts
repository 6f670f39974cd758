import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { inUseError } from '../connections/delete-connection.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { fieldTransformations } from '../tables.ts';
import { loadFieldTransformation } from './load-field-transformation.ts';

/** Throws NOT_FOUND, and IN_USE while a pipeline uses it. */
export async function deleteFieldTransformation(
  deps: PipelinesDeps,
  { workspaceId, actor }: Caller,
  id: string,
): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await loadFieldTransformation(tx, { workspaceId, id }, 'update');
    const users = await loadPipelines(tx, { workspaceId, fieldTransformationId: id });
    if (users.length > 0) throw inUseError('field transformation', id, users);
    await tx.orm
      .delete(fieldTransformations)
      .where(and(eq(fieldTransformations.workspaceId, workspaceId), eq(fieldTransformations.id, id)));
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(deps.clock.nowMs()),
      actor,
      action: 'field_transformation.deleted',
      resource: `field_transformation/${id}`,
      detail: {},
    });
  });
}
