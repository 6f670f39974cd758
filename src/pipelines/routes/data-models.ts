import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import {
  DataModelAnswer,
  DataModelBody,
  MODEL_READ_ONLY_FIELDS,
  ValidateAnswer,
  ValidateBody,
} from '../contract/data-model.ts';
import { deleteDataModel } from '../data-models/delete-data-model.ts';
import { listDataModels, loadDataModel } from '../data-models/load-data-model.ts';
import { createDataModel, replaceDataModel } from '../data-models/save-data-model.ts';
import { validateDataModel } from '../data-models/validate-data-model.ts';
import type { PipelinesDeps, PipelinesEndpointDeps } from '../pipelines-deps.ts';
import { dataModelAnswer } from '../wire/data-model-answer.ts';
import { BASE, CHANGES, NoContent, pathParams, READS, TRIALS_LIMITED, workspaceParams } from './platform-endpoint.ts';

const PATH = `${BASE}/data-models`;
const tag = 'Data models';
const params = pathParams({ modelId: Type.String() });

/** Returns the endpoints of data models. `validate` is an extension (D-110). */
export function dataModelEndpoints(deps: PipelinesEndpointDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps), validate(deps)];
}

function list({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'listDataModels',
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
    operationId: 'getDataModel',
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
    operationId: 'createDataModel',
    refusals: { 409: 'Another data model of this workspace already has that id.' },
    summary: 'Create a data model',
    description: 'The query must be a single SELECT in the grammar of at least one provider.',
    body: DataModelBody,
    ignoredFields: MODEL_READ_ONLY_FIELDS,
    responses: { 200: DataModelAnswer },
    async handler({ caller, body }) {
      return { status: 200, body: dataModelAnswer(await createDataModel(deps, caller, { body })) };
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
    operationId: 'replaceDataModel',
    summary: 'Replace a data model',
    description: 'Clears the fault. Fails if a pipeline that uses the data model could no longer run.',
    body: DataModelBody,
    ignoredFields: MODEL_READ_ONLY_FIELDS,
    responses: { 200: DataModelAnswer },
    async handler({ caller, params: { modelId: id }, body }) {
      return { status: 200, body: dataModelAnswer(await replaceDataModel(deps, caller, { id, body })) };
    },
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
    operationId: 'deleteDataModel',
    refusals: { 409: 'A pipeline still uses the model.' },
    summary: 'Delete a data model',
    description: 'Fails while a pipeline uses the resource.',
    responses: { 204: NoContent },
    async handler({ caller, params: { modelId } }) {
      await deleteDataModel(deps, caller, modelId);
      return { status: 204 };
    },
  });
}

function validate(deps: PipelinesEndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/:modelId/validate`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'validateDataModel',
    summary: 'Validate a data model',
    description: 'The warehouse describes the model without reading a row. Nothing is changed.',
    body: ValidateBody,
    refusals: {
      429: TRIALS_LIMITED,
      502: 'The warehouse cannot be reached.',
      504: 'The warehouse did not answer in time.',
    },
    responses: { 200: ValidateAnswer },
    async handler({ caller, params: { modelId: id }, body: { connection_id: connectionId }, signal }) {
      const { workspaceId } = caller;
      const validate = () => validateDataModel(deps, caller, { id, connectionId });
      return { status: 200, body: await deps.runTrial({ workspaceId, signal }, validate) };
    },
  });
}
