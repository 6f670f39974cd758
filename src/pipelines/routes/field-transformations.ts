import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { FieldTransformationAnswer, FieldTransformationBody } from '../contract/field-transformation.ts';
import { READ_ONLY_FIELDS } from '../contract/shared.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { deleteFieldTransformation } from '../transformations/delete-field-transformation.ts';
import { listFieldTransformations, loadFieldTransformation } from '../transformations/load-field-transformation.ts';
import { createFieldTransformation, replaceFieldTransformation } from '../transformations/save-field-transformation.ts';
import { fieldTransformationAnswer } from '../wire/field-transformation-answer.ts';
import { BASE, CHANGES, NoContent, pathParams, READS, workspaceParams } from './platform-endpoint.ts';

const PATH = `${BASE}/field-transformations`;
const ONE = `${PATH}/:transformationId`;
const tag = 'Field transformations';
const params = pathParams({ transformationId: Type.String() });

/** Returns the endpoints of field transformations, which the specification names and does not describe (D-102). */
export function fieldTransformationEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
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
    operationId: 'listFieldTransformations',
    summary: 'List field transformations',
    responses: { 200: Type.Array(FieldTransformationAnswer) },
    async handler({ caller: { workspaceId } }) {
      const found = await listFieldTransformations(store, workspaceId);
      return { status: 200, body: found.map(fieldTransformationAnswer) };
    },
  });
}

function get({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: ONE,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getFieldTransformation',
    summary: 'Get a field transformation',
    responses: { 200: FieldTransformationAnswer },
    async handler({ caller: { workspaceId }, params: { transformationId: id } }) {
      const found = await loadFieldTransformation(store, { workspaceId, id });
      return { status: 200, body: fieldTransformationAnswer(found) };
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
    operationId: 'createFieldTransformation',
    refusals: { 409: 'Another field transformation of this workspace already has that id.' },
    summary: 'Create a field transformation',
    description: 'The mappings must build batches that the events API accepts.',
    body: FieldTransformationBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: FieldTransformationAnswer },
    async handler({ caller, body }) {
      const created = await createFieldTransformation(deps, caller, body);
      return { status: 200, body: fieldTransformationAnswer(created) };
    },
  });
}

function replace(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: ONE,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'replaceFieldTransformation',
    summary: 'Replace a field transformation',
    description: 'The transformation must fit the pipelines that use it. Their next run applies the change.',
    body: FieldTransformationBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: FieldTransformationAnswer },
    async handler({ caller, params: { transformationId: id }, body }) {
      const after = await replaceFieldTransformation(deps, caller, { id, body });
      return { status: 200, body: fieldTransformationAnswer(after) };
    },
  });
}

function remove(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: ONE,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'deleteFieldTransformation',
    refusals: { 409: 'A pipeline still uses the field transformation.' },
    summary: 'Delete a field transformation',
    description: 'Fails while a pipeline uses the resource.',
    responses: { 204: NoContent },
    async handler({ caller, params: { transformationId } }) {
      await deleteFieldTransformation(deps, caller, transformationId);
      return { status: 204 };
    },
  });
}
