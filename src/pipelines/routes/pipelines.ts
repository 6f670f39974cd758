import { Type } from 'typebox';
import { type Caller, defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { PIPELINE_READ_ONLY_FIELDS, PipelineAnswer, PipelineBody } from '../contract/pipeline.ts';
import { createPipeline } from '../pipelines/create-pipeline.ts';
import { deletePipeline } from '../pipelines/delete-pipeline.ts';
import { loadPipeline, loadPipelines } from '../pipelines/load-pipeline.ts';
import type { PipelineContext } from '../pipelines/pipeline-status.ts';
import { replacePipeline } from '../pipelines/replace-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { pipelinesWithLiveRun } from '../run-rows/live-runs.ts';
import { pipelineAnswer } from '../wire/pipeline-answer.ts';
import { BASE, CHANGES, NoContent, pathParams, READS, workspaceParams } from './platform-endpoint.ts';

const PATH = `${BASE}/inputs/data-pipelines`;
const tag = 'Pipelines';
const params = pathParams({ pipelineId: Type.String() });

/** Returns the endpoints of pipelines. */
export function pipelineEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps)];
}

async function answer({ store }: PipelinesDeps, { workspaceId }: Caller, context: PipelineContext) {
  const live = await pipelinesWithLiveRun(store, workspaceId, context.pipeline.number);
  return { status: 200, body: pipelineAnswer(context, live.size > 0) };
}

function list({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'listPipelines',
    summary: 'List pipelines',
    responses: { 200: Type.Array(PipelineAnswer) },
    async handler({ caller: { workspaceId } }) {
      const contexts = await loadPipelines(store, { workspaceId });
      const live = await pipelinesWithLiveRun(store, workspaceId);
      return { status: 200, body: contexts.map((it) => pipelineAnswer(it, live.has(it.pipeline.number))) };
    },
  });
}

function get(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getPipeline',
    summary: 'Get a pipeline',
    responses: { 200: PipelineAnswer },
    async handler({ caller, params: { pipelineId: id } }) {
      return answer(deps, caller, await loadPipeline(deps.store, { workspaceId: caller.workspaceId, id }));
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
    operationId: 'createPipeline',
    summary: 'Create a pipeline',
    description: 'Checks the model with the warehouse. Schedules an active pipeline at once.',
    refusals: { 409: 'Another pipeline of this workspace already has that id.' },
    body: PipelineBody,
    ignoredFields: PIPELINE_READ_ONLY_FIELDS,
    responses: { 200: PipelineAnswer },
    async handler({ caller, body }) {
      return answer(deps, caller, await createPipeline(deps, caller, { body }));
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
    operationId: 'replacePipeline',
    summary: 'Replace a pipeline',
    query: Type.Object({
      preventResets: Type.Optional(
        Type.Boolean({
          default: true,
          description:
            'Clears the fault. The next run applies the change. Refuses changes that load everything again unless `preventResets` is false, such as another sync_mode.from, or another row_key after a partly delivered run.',
        }),
      ),
    }),
    body: PipelineBody,
    ignoredFields: PIPELINE_READ_ONLY_FIELDS,
    refusals: { 409: 'The change resets the pipeline or changes row_key while a run is in progress.' },
    responses: { 200: PipelineAnswer },
    async handler({ caller, params: { pipelineId: id }, query: { preventResets = true }, body }) {
      return answer(deps, caller, await replacePipeline(deps, caller, { id, body, preventResets }));
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
    operationId: 'deletePipeline',
    summary: 'Delete a pipeline',
    description: 'Its runs stay readable until retention removes them.',
    responses: { 204: NoContent },
    refusals: { 409: 'A run of the pipeline is in progress. Cancel it first, or wait until it ends.' },
    async handler({ caller, params: { pipelineId } }) {
      await deletePipeline(deps, caller, pipelineId);
      return { status: 204 };
    },
  });
}
