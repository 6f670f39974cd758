import { type Static, Type } from 'typebox';
import { type Caller, defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import type { DataModel, PipelinesDeps } from '../../pipelines/index.ts';
import {
  createDataModel,
  deleteDataModel,
  listDataModels,
  loadDataModel,
  NoContent,
  pathParams,
  replaceDataModel,
  workspaceParams,
} from '../../pipelines/index.ts';
import { DataModelAnswer, DataModelBody, DataModelChange } from '../contract/data-model.ts';
import { READ_ONLY_FIELDS } from '../contract/shared.ts';
import { loadKnownPipelines } from '../load-known.ts';
import { renderRefusals } from '../render-errors.ts';
import { requireTimestampType } from '../require-timestamp-type.ts';
import { modelBasis, repeatOnConflict } from '../save-basis.ts';
import { dataModelAnswer, dataModelBody, MODEL_NAMES, readLoadTimestamp } from '../wire/data-model.ts';
import { BASE, CHANGES, READS } from './platform-endpoint.ts';

const PATH = `${BASE}/data-models`;
const tag = 'Warehouse sync v1: data models';
const params = pathParams({ modelId: Type.String() });

/** Returns the endpoints of data models in version 1. */
export function dataModelEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps)];
}

function list({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'listDataModelsV1',
    summary: 'List data models',
    responses: { 200: Type.Array(DataModelAnswer) },
    async handler({ caller }) {
      return { status: 200, body: (await listDataModels(store, caller.workspaceId)).map(dataModelAnswer) };
    },
  });
}

function get({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:modelId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getDataModelV1',
    summary: 'Get a data model',
    responses: { 200: DataModelAnswer },
    async handler({ caller: { workspaceId }, params: { modelId: id } }) {
      return { status: 200, body: dataModelAnswer(await loadDataModel(store, { workspaceId, id })) };
    },
  });
}

function create(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'createDataModelV1',
    summary: 'Create a data model',
    description: 'The query must be a single SELECT. Pipelines of the data model use its load timestamp.',
    body: DataModelBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: DataModelAnswer },
    async handler({ caller, body }) {
      const loadTimestamp = readLoadTimestamp(body);
      const made = await renderRefusals(MODEL_NAMES, () =>
        createDataModel(deps, caller, { body: dataModelBody(body), loadTimestamp }),
      );
      return { status: 200, body: dataModelAnswer(made) };
    },
  });
}

function replace(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:modelId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'replaceDataModelV1',
    summary: 'Replace a data model',
    description:
      'Clears the fault. A changed load timestamp applies to the pipelines created with version 1. If its column, type or time zone changes, those pipelines are reset: their next run loads everything.',
    body: DataModelChange,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: DataModelAnswer },
    async handler({ caller, params: { modelId: id }, body }) {
      const put = () => replaceModel(deps, caller, { id, body: { id, ...body } });
      return { status: 200, body: dataModelAnswer(await renderRefusals(MODEL_NAMES, () => repeatOnConflict(put))) };
    },
  });
}

async function replaceModel(
  deps: PipelinesDeps,
  caller: Caller,
  { id, body }: { readonly id: string; readonly body: Static<typeof DataModelBody> },
): Promise<DataModel> {
  const { workspaceId } = caller;
  const stored = await loadDataModel(deps.store, { workspaceId, id });
  const loadTimestamp = readLoadTimestamp(body);
  for (const { pipeline, connection } of await loadKnownPipelines(deps.store, { workspaceId, dataModelId: id })) {
    if (pipeline.kept.followsModel) requireTimestampType(connection, loadTimestamp);
  }
  return replaceDataModel(deps, caller, {
    id,
    body: dataModelBody(body, stored),
    loadTimestamp,
    basedOn: { read: stored, basisOf: modelBasis },
  });
}

function remove(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:modelId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'deleteDataModelV1',
    summary: 'Delete a data model',
    description: 'Fails with 400 while a pipeline uses it.',
    responses: { 204: NoContent },
    async handler({ caller, params: { modelId } }) {
      await deleteDataModel(deps, caller, modelId);
      return { status: 204 };
    },
  });
}
