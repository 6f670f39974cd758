// POST and PUT of a data model. It has no connection: one grammar has to accept it as one SELECT. On a PUT it also has
// to suit the pipelines that use it, on their warehouses (D-075).
import { and, eq } from 'drizzle-orm';
import type { Static } from 'typebox';
import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, refuse } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { acceptsSomeGrammar } from '../../warehouse/index.ts';
import { changedFields } from '../changed-fields.ts';
import { checkModelUsers, type NoticesOfUsers } from '../checks/check-users.ts';
import { refreshWarnings } from '../checks/refresh-warnings.ts';
import type { DataModelBody } from '../contract/data-model.ts';
import { loadPipelines } from '../pipelines/load-pipeline.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { type BasedOn, requireUnchanged } from '../require-unchanged.ts';
import { reschedulePipelines } from '../schedules/reschedule-pipelines.ts';
import { dataModels } from '../tables.ts';
import { dataModelAnswer } from '../wire/data-model-answer.ts';
import type { DataModel } from './data-model.ts';
import { followLoadTimestamp, moveFollowers } from './follow-model.ts';
import { dataModelFromRow, loadDataModel } from './load-data-model.ts';
import type { LoadTimestamp } from './load-timestamp.ts';

type Body = Static<typeof DataModelBody>;

export interface ModelSaving {
  readonly body: Body;
  /** Load timestamp of the model. Absent: it stays as it was, and a new model has none. */
  readonly loadTimestamp?: LoadTimestamp | null;
}

/** Creates a data model. Throws VALIDATION_FAILED and DUPLICATE_ID. */
export async function createDataModel(
  deps: PipelinesDeps,
  { workspaceId, actor }: Caller,
  { body, loadTimestamp = null }: ModelSaving,
): Promise<DataModel> {
  const warnings = await checkSql(body);
  const createdOn = new Date(deps.clock.nowMs());
  return deps.store.transaction(async (tx) => {
    const inserted = await tx.orm
      .insert(dataModels)
      // The specification requires neither name nor state of a model.
      .values({
        workspaceId,
        id: body.id,
        name: body.name ?? body.id,
        state: body.state ?? 'new',
        sqlQuery: body.config.sql_query,
        loadTimestamp,
        fault: null,
        warnings,
        createdOn,
        createdBy: actor,
      })
      .onConflictDoNothing()
      .returning();
    if (inserted[0] === undefined) {
      const message = `id: this workspace already has a data model "${body.id}"; PUT it, or choose another id.`;
      throw new AppError('DUPLICATE_ID', message);
    }
    const created = dataModelFromRow(inserted[0]);
    await recordChange(tx, {
      workspaceId,
      occurredOn: createdOn,
      actor,
      action: 'data_model.created',
      resource: `data_model/${body.id}`,
      detail: changedFields(undefined, modelFields(created)),
    });
    return created;
  });
}

/** Replaces a data model, clears its fault and schedules its pipelines again. Throws NOT_FOUND and VALIDATION_FAILED. */
export async function replaceDataModel(
  deps: PipelinesDeps,
  caller: Caller,
  { id, body, loadTimestamp, basedOn }: ModelSaving & { readonly id: string; readonly basedOn?: BasedOn<DataModel> },
): Promise<DataModel> {
  const { workspaceId } = caller;
  const stored = await loadDataModel(deps.store, { workspaceId, id });
  if (body.id !== id) throw refuse([{ path: 'id', message: `must be "${id}", the id in the path; ids never change` }]);
  const warnings = await checkSql(body);
  const users = await loadPipelines(deps.store, { workspaceId, dataModelId: id });
  const sqlQuery = body.config.sql_query;
  const timed = loadTimestamp === undefined ? stored.loadTimestamp : loadTimestamp;
  const noticed = await checkModelUsers(
    deps,
    users.map((user) => ({ ...followLoadTimestamp(deps, user, timed), dataModel: { ...user.dataModel, sqlQuery } })),
  );
  return deps.store.transaction((tx) =>
    overwrite(tx, { deps, caller, body, warnings, loadTimestamp, basedOn, noticed }),
  );
}

interface Overwriting {
  readonly deps: PipelinesDeps;
  readonly caller: Caller;
  readonly body: Body;
  readonly warnings: readonly Notice[];
  readonly loadTimestamp: LoadTimestamp | null | undefined;
  readonly basedOn: BasedOn<DataModel> | undefined;
  readonly noticed: NoticesOfUsers;
}

async function overwrite(tx: Transaction, { deps, caller, body, noticed, ...put }: Overwriting): Promise<DataModel> {
  const { workspaceId, actor } = caller;
  const { id } = body;
  const nowMs = deps.clock.nowMs();
  const before = await loadDataModel(tx, { workspaceId, id }, 'update');
  requireUnchanged(before, put.basedOn);
  const updated = await tx.orm
    .update(dataModels)
    .set({
      name: body.name ?? before.name,
      state: body.state ?? before.state,
      sqlQuery: body.config.sql_query,
      ...(put.loadTimestamp !== undefined && { loadTimestamp: put.loadTimestamp }),
      fault: null,
      warnings: put.warnings,
      lastModifiedOn: new Date(nowMs),
      lastModifiedBy: actor,
    })
    .where(and(eq(dataModels.workspaceId, workspaceId), eq(dataModels.id, id)))
    .returning();
  if (updated[0] === undefined) throw new AppError('NOT_FOUND', `The data model "${id}" was deleted in the meantime.`);
  const after = dataModelFromRow(updated[0]);
  if (put.loadTimestamp !== undefined) await moveFollowers(tx, deps, { caller, dataModel: after, nowMs });
  await reschedulePipelines(tx, { workspaceId, dataModelId: id }, { nowMs, afterFault: before.fault !== null });
  await refreshWarnings(tx, { workspaceId, dataModelId: id }, noticed);
  await recordChange(tx, {
    workspaceId,
    occurredOn: new Date(nowMs),
    actor,
    action: 'data_model.updated',
    resource: `data_model/${id}`,
    detail: changedFields(modelFields(before), modelFields(after)),
  });
  return after;
}

/** Returns the fields that an audit entry compares, with the load timestamp, which the API does not show. */
function modelFields(model: DataModel) {
  return { ...dataModelAnswer(model), ...(model.loadTimestamp !== null && { load_timestamp: model.loadTimestamp }) };
}

/** Returns the warnings. Throws VALIDATION_FAILED. */
async function checkSql({ config }: Body): Promise<readonly Notice[]> {
  const check = await acceptsSomeGrammar(config.sql_query);
  if (check.outcome === 'refused') throw refuse([{ path: 'config.sql_query', message: check.complaint.message }]);
  return check.outcome === 'accepted' ? check.warnings.map((message) => ({ message })) : [];
}
