import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS } from '../../http/index.ts';
import { BASE, CHANGES, pathParams } from '../../pipelines/index.ts';
import { RunAnswer } from '../contract/run.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { cancelPipelineRun } from '../lifecycle/cancel-pipeline-run.ts';
import { runAnswer } from '../wire/run-answer.ts';

/** Defines the endpoint that cancels a run (D-110). */
export function cancelRunEndpoint(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${BASE}/inputs/data-pipelines/:pipelineId/runs/:runId/cancel`,
    tag: 'Runs',
    params: pathParams({ pipelineId: Type.String(), runId: Int64() }),
    query: NO_PARAMETERS,
    operationId: 'cancelRun',
    summary: 'Cancel a run',
    description: 'Delivered rows are kept. The next run delivers the rest.',
    responses: { 200: RunAnswer },
    async handler({ caller, params: { pipelineId, runId } }) {
      const run = await cancelPipelineRun(deps, caller, { pipelineId, runId: BigInt(runId) });
      return { status: 200, body: runAnswer(run, pipelineId) };
    },
  });
}
