import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS } from '../../http/index.ts';
import type { PipelinesDeps } from '../../pipelines/index.ts';
import { closed, deletePipeline, NoContent, workspaceParams } from '../../pipelines/index.ts';
import { triggerPipeline } from '../../runs/index.ts';
import { PipelineAnswer, PipelineBody, PipelineChange } from '../contract/pipeline.ts';
import { READ_ONLY_FIELDS } from '../contract/shared.ts';
import { loadKnownPipeline, loadKnownPipelines } from '../load-known.ts';
import { renderStopped } from '../render-errors.ts';
import { createV1Pipeline, replaceV1Pipeline } from '../save-pipeline.ts';
import { pipelineAnswer } from '../wire/pipeline.ts';
import { BASE, CHANGES, pipelineParams as params, READS, UNREACHABLE } from './platform-endpoint.ts';

const PATH = `${BASE}/pipelines`;
const tag = 'Warehouse sync v1: pipelines';

const SAVE_REFUSALS = {
  400: 'A field is wrong, or the data plan is not active; the message names the field.',
  404: 'The pipeline, the data plan or its version does not exist.',
  505: `${UNREACHABLE} Drafts are saved without this check.`,
};

/** Returns the endpoints of pipelines in version 1. Reading one is an extension. */
export function pipelineEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps), trigger(deps)];
}

function list({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'listPipelinesV1',
    summary: 'List pipelines',
    description: 'Pipelines over the warehouses that version 1 supports.',
    responses: { 200: Type.Array(PipelineAnswer) },
    async handler({ caller: { workspaceId } }) {
      return { status: 200, body: (await loadKnownPipelines(store, { workspaceId })).map(pipelineAnswer) };
    },
  });
}

function get({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getPipelineV1',
    summary: 'Get a pipeline',
    responses: { 200: PipelineAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id } }) {
      return { status: 200, body: pipelineAnswer(await loadKnownPipeline(store, { workspaceId, id })) };
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
    operationId: 'createPipelineV1',
    summary: 'Create a pipeline',
    description: 'The pipeline loads user attributes and uses the load timestamp of its data model.',
    body: PipelineBody,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: PipelineAnswer },
    refusals: SAVE_REFUSALS,
    async handler({ caller, body }) {
      return { status: 200, body: pipelineAnswer(await createV1Pipeline(deps, caller, body)) };
    },
  });
}

function replace(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:pipelineId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'replacePipelineV1',
    summary: 'Replace a pipeline',
    description:
      'Replaces the fields of version 1 and clears the fault. The next run applies the change. A data model with another load timestamp resets a pipeline created with version 1.',
    body: PipelineChange,
    ignoredFields: READ_ONLY_FIELDS,
    responses: { 200: PipelineAnswer },
    refusals: SAVE_REFUSALS,
    async handler({ caller, params: { pipelineId: id }, body }) {
      return { status: 200, body: pipelineAnswer(await replaceV1Pipeline(deps, caller, { id, body })) };
    },
  });
}

function remove(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:pipelineId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'deletePipelineV1',
    summary: 'Delete a pipeline',
    description: 'Fails with 400 while a run is in progress.',
    responses: { 204: NoContent },
    async handler({ caller, params: { pipelineId: id } }) {
      await loadKnownPipeline(deps.store, { workspaceId: caller.workspaceId, id });
      await deletePipeline(deps, caller, id);
      return { status: 204 };
    },
  });
}

const TriggerAnswer = closed({ pipeline_run_id: Int64(), status: Type.Enum(['attempt_requested']) }, 'TriggeredV1');

function trigger(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/:pipelineId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'triggerPipelineV1',
    summary: 'Trigger a pipeline',
    description: 'Fails with 400 unless the pipeline is idle.',
    requestHeaders: { 'Idempotency-Key': '1 to 255 characters. Repeating the key within a day returns the same run.' },
    responses: { 200: TriggerAnswer },
    async handler({ caller, params: { pipelineId: id }, headers }) {
      await loadKnownPipeline(deps.store, { workspaceId: caller.workspaceId, id });
      const idempotencyKey = headers['idempotency-key'];
      const runId = await renderStopped(() => triggerPipeline(deps, caller, { pipelineId: id, idempotencyKey }));
      return { status: 200, body: { pipeline_run_id: runId, status: 'attempt_requested' } };
    },
  });
}
