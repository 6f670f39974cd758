import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS, PageQuery, readPage } from '../../http/index.ts';
import { ResetBody, TriggerAnswer, TriggerBody } from '../contract/pipeline.ts';
import { ReportAnswer, RunAnswer, RunsAnswer } from '../contract/run.ts';
import { loadPipeline } from '../pipelines/load-pipeline.ts';
import { reportPipeline } from '../pipelines/report-pipeline.ts';
import { resetPipeline } from '../pipelines/reset-pipeline.ts';
import { triggerPipeline } from '../pipelines/trigger-pipeline.ts';
import type { PipelinesDeps } from '../pipelines-deps.ts';
import { listRuns, loadRun } from '../run-rows/load-runs.ts';
import { runAnswer } from '../wire/run-answer.ts';
import { BASE, CHANGES, NoContent, pathParams, READS, workspaceParams } from './platform-endpoint.ts';

const PATH = `${BASE}/inputs/data-pipelines`;
const tag = 'Runs';
const params = pathParams({ pipelineId: Type.String() });

/** Returns the endpoints for trigger, reset, report and runs. Reading one run is an extension (D-110). */
export function runEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [trigger(deps), reset(deps), report(deps), list(deps), get(deps)];
}

function trigger(deps: PipelinesDeps): Endpoint {
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
    requestHeaders: { 'Idempotency-Key': '1 to 255 characters; the same key within a day answers the same run.' },
    body: TriggerBody,
    responses: { 200: TriggerAnswer },
    async handler({ caller, body, headers }) {
      const idempotencyKey = headers['idempotency-key'];
      const id = await triggerPipeline(deps, caller, { pipelineId: body.pipeline_id, idempotencyKey });
      return { status: 200, body: { pipeline_run_id: id, status: 'attempt_requested' } };
    },
  });
}

function reset(deps: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/reset`,
    tag,
    params: workspaceParams,
    query: NO_PARAMETERS,
    operationId: 'resetPipeline',
    summary: 'Reset a pipeline',
    description: 'Drops the position: the next run loads everything again, from `from` on.',
    body: ResetBody,
    responses: { 204: NoContent },
    refusals: { 409: 'A run of the pipeline is not over; cancel it first, or wait for its end.' },
    async handler({ caller, body }) {
      await resetPipeline(deps, caller, body.pipeline_id);
      return { status: 204 };
    },
  });
}

function report({ store }: PipelinesDeps): Endpoint {
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

function list({ store }: PipelinesDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:pipelineId/runs`,
    tag,
    params,
    query: PageQuery,
    operationId: 'listRuns',
    summary: 'List runs of a pipeline',
    description: 'Ordered by logical date, the newest first.',
    responses: { 200: RunsAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id }, query }) {
      const page = readPage(query);
      const { pipeline } = await loadPipeline(store, { workspaceId, id });
      const runs = await listRuns(store, pipeline, page);
      return { status: 200, body: { items: runs.map((run) => runAnswer(run, id)) } };
    },
  });
}

function get({ store }: PipelinesDeps): Endpoint {
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
