import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS, PageQuery, readPage } from '../../http/index.ts';
import {
  BASE,
  CHANGES,
  listRuns,
  loadPipeline,
  loadRun,
  NoContent,
  pathParams,
  READS,
  resetPipeline,
  workspaceParams,
} from '../../pipelines/index.ts';
import { ReportAnswer, ResetBody, RunAnswer, RunsAnswer, TriggerAnswer, TriggerBody } from '../contract/run.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { reportPipeline } from '../lifecycle/report-pipeline.ts';
import { triggerPipeline } from '../lifecycle/trigger-pipeline.ts';
import { runAnswer } from '../wire/run-answer.ts';

const PATH = `${BASE}/inputs/data-pipelines`;
const tag = 'Runs';
const params = pathParams({ pipelineId: Type.String() });

/** Returns the endpoints that trigger, reset and report on a pipeline, and those that read its runs (D-110). */
export function runEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [trigger(deps), reset(deps), report(deps), list(deps), get(deps)];
}

function trigger(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/trigger`,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'triggerPipeline',
    summary: 'Trigger a pipeline',
    description: 'The pipeline must be idle or faulted.',
    requestHeaders: { 'Idempotency-Key': '1 to 255 characters. Repeating the key within a day returns the same run.' },
    body: TriggerBody,
    responses: { 200: TriggerAnswer },
    async handler({ caller, body, headers }) {
      const idempotencyKey = headers['idempotency-key'];
      const id = await triggerPipeline(deps, caller, { pipelineId: body.pipeline_id, idempotencyKey });
      return { status: 200, body: { pipeline_run_id: id, status: 'attempt_requested' } };
    },
  });
}

function reset(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/reset`,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'resetPipeline',
    summary: 'Reset a pipeline',
    description: 'Clears the position. The next run loads everything again, starting at `from`.',
    body: ResetBody,
    responses: { 204: NoContent },
    refusals: { 409: 'A run of the pipeline is in progress. Cancel it first, or wait until it ends.' },
    async handler({ caller, body }) {
      await resetPipeline(deps, caller, body.pipeline_id);
      return { status: 204 };
    },
  });
}

function report({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId/report`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'getPipelineReport',
    summary: 'Get the status of a pipeline',
    description: 'Covers the pipeline, its connection, its data model and its latest run.',
    responses: { 200: ReportAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id } }) {
      return { status: 200, body: await reportPipeline(store, { workspaceId, id }) };
    },
  });
}

function list({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId/runs`,
    tag,
    params,
    query: PageQuery,
    operationId: 'listRuns',
    summary: 'List runs of a pipeline',
    description: 'Ordered by logical date, newest first.',
    responses: { 200: RunsAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id }, query }) {
      const page = readPage(query);
      const { pipeline } = await loadPipeline(store, { workspaceId, id });
      const runs = await listRuns(store, pipeline, page);
      return { status: 200, body: { items: runs.map((run) => runAnswer(run, id)) } };
    },
  });
}

function get({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId/runs/:runId`,
    tag,
    query: NO_PARAMETERS,
    operationId: 'getRun',
    summary: 'Get a run',
    params: pathParams({ pipelineId: Type.String(), runId: Int64() }),
    responses: { 200: RunAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id, runId } }) {
      const { pipeline } = await loadPipeline(store, { workspaceId, id });
      return { status: 200, body: runAnswer(await loadRun(store, pipeline, BigInt(runId)), id) };
    },
  });
}
