import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS, PageQuery, readPage } from '../../http/index.ts';
import { formatTime } from '../../kernel/index.ts';
import { BASE, CHANGES, loadPipeline, loadRun, pathParams, READS } from '../../pipelines/index.ts';
import { type FailedRecordAnswer, FailedRecordsAnswer, RetryBody } from '../contract/failed-records.ts';
import { TriggerAnswer } from '../contract/run.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { type FailedRecord, listFailedRecords } from '../failed-records/list-failed-records.ts';
import { requestRetry } from '../failed-records/request-retry.ts';

const PATH = `${BASE}/inputs/data-pipelines/:pipelineId/runs/:runId/failed-records`;
const tag = 'Runs';
const params = pathParams({ pipelineId: Type.String(), runId: Int64() });

/** Returns the endpoints that list the failed records of a run and retry them (D-110). */
export function failedRecordEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [list(deps), retry(deps)];
}

function list({ store }: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    tag,
    params,
    query: PageQuery,
    operationId: 'listFailedRecords',
    summary: 'List failed records',
    description: 'Rows that a run could not deliver, newest first, with field, value, rule and reason.',
    responses: { 200: FailedRecordsAnswer },
    async handler({ caller: { workspaceId }, params: { pipelineId: id, runId }, query }) {
      const page = readPage(query);
      const { pipeline } = await loadPipeline(store, { workspaceId, id });
      const run = await loadRun(store, pipeline, BigInt(runId));
      const records = await listFailedRecords(store, run, page);
      return { status: 200, body: { items: records.map(recordAnswer) } };
    },
  });
}

function retry(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${PATH}/retry`,
    tag,
    params,
    query: NO_PARAMETERS,
    operationId: 'retryFailedRecords',
    summary: 'Retry failed records',
    description:
      'Requests a run that delivers the records again with the current pipeline. Without `ids` or without a body, retries all records.',
    body: RetryBody,
    mayLackBody: true,
    responses: { 200: TriggerAnswer },
    async handler({ caller, params: { pipelineId, runId }, body }) {
      const ids = body.ids?.map(BigInt);
      const id = await requestRetry(deps, caller, { pipelineId, runId: BigInt(runId), ids });
      return { status: 200, body: { pipeline_run_id: id, status: 'attempt_requested' } };
    },
  });
}

function recordAnswer({ failedOn, retriedOn, ...record }: FailedRecord): Static<typeof FailedRecordAnswer> {
  return { ...record, failed_on: failedOn.toISOString(), retried_on: formatTime(retriedOn) };
}
