import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { inUseError } from '../connections/delete-connection.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { dataModels } from '../tables.ts';
import { loadDataModel } from './load-data-model.ts';

/** Throws NOT_FOUND, and IN_USE while a pipeline runs it. */
export async function deleteDataModel(deps: PipelinesDeps, { workspaceId, actor }: Caller, id: string): Promise<void> {
  await deps.store.transaction(async (tx) => {
    await loadDataModel(tx, { workspaceId, id }, 'update');
    const users = await loadPipelines(tx, { workspaceId, dataModelId: id });
    if (users.length > 0) throw inUseError('data model', id, users);
    await tx.orm.delete(dataModels).where(and(eq(dataModels.workspaceId, workspaceId), eq(dataModels.id, id)));
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(deps.clock.nowMs()),
      actor,
      action: 'data_model.deleted',
      resource: `data_model/${id}`,
      detail: {},
    });
  });
}
