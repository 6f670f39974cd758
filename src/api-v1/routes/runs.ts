import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS, PageQuery, readPage } from '../../http/index.ts';
import { findLatestRun, listRuns, loadRun, pathParams } from '../../pipelines/index.ts';
import { type EndpointDeps, requeueRun } from '../../runs/index.ts';
import { PipelineStatusAnswer, RunStatusAnswer, RunStatusesAnswer } from '../contract/run.ts';
import { loadKnownPipeline } from '../load-known.ts';
import { renderStopped } from '../render-errors.ts';
import { pipelineAnswer } from '../wire/pipeline.ts';
import { runStatusAnswer } from '../wire/run.ts';
import { BASE, CHANGES, pipelineParams as params, READS } from './platform-endpoint.ts';

const PATH = `${BASE}/pipelines/:pipelineId/status`;
const tag = 'Warehouse sync v1: status';
const runParams = pathParams({ pipelineId: Type.String(), pipelineRunId: Int64() });

/** Returns the endpoints of the status of a pipeline, its runs and their retry. */
export function runEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [status(deps), list(deps), get(deps), retry(deps)];
}

function status({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getPipelineStatusV1',
    summary: 'Get the status of a pipeline',
    description: 'Covers the pipeline, its connection and its latest run.',
    responses: { 200: PipelineStatusAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id } }) {
      const context = await loadKnownPipeline(store, { workspaceId, id });
      const { is_active, is_faulted } = pipelineAnswer(context);
      const latest = await findLatestRun(store, context.pipeline);
      const body = {
        is_active,
        is_faulted,
        is_connection_active: context.connection.state === 'active',
        is_connection_faulted: context.connection.fault !== null,
        latest_pipeline_run: latest === undefined ? null : runStatusAnswer(latest, id),
      };
      return { status: 200, body };
    },
  });
}

function list({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/runs`,
    tag,
    params,
    query: PageQuery,
    operationId: 'listRunStatusesV1',
    summary: 'List runs of a pipeline',
    description: 'Ordered by logical date, newest first.',
    responses: { 200: RunStatusesAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id }, query }) {
      const page = readPage(query);
      const { pipeline } = await loadKnownPipeline(store, { workspaceId, id });
      const runs = await listRuns(store, pipeline, page);
      return { status: 200, body: { items: runs.map((run) => runStatusAnswer(run, id)) } };
    },
  });
}

function get({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/runs/:pipelineRunId`,
    tag,
    query: NO_PARAMETERS,
    operationId: 'getRunStatusV1',
    summary: 'Get a run',
    params: runParams,
    responses: { 200: RunStatusAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id, pipelineRunId } }) {
      const { pipeline } = await loadKnownPipeline(store, { workspaceId, id });
      return { status: 200, body: runStatusAnswer(await loadRun(store, pipeline, BigInt(pipelineRunId)), id) };
    },
  });
}

function retry(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    query: NO_PARAMETERS,
    path: `${PATH}/runs/:pipelineRunId/retry`,
    operationId: 'retryRunV1',
    summary: 'Retry a run',
    description:
      'Requests another attempt of a failed run, with the current pipeline. Fails with 400 if the run is in progress or succeeded, if the pipeline is stopped or has another run, or if a later run ' +
      'covered the range.',
    tag,
    params: runParams,
    responses: { 200: RunStatusAnswer },
    async handler({ caller, params: { pipelineId: id, pipelineRunId } }) {
      await loadKnownPipeline(deps.store, { workspaceId: caller.workspaceId, id });
      const run = await renderStopped(() => requeueRun(deps, caller, { pipelineId: id, runId: BigInt(pipelineRunId) }));
      return { status: 200, body: runStatusAnswer(run, id) };
    },
  });
}
