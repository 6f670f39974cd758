import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS } from '../../http/index.ts';
import { pathParams } from '../../pipelines/index.ts';
import { type EndpointDeps, retryRun } from '../../runs/index.ts';
import { RunStatusAnswer } from '../contract/run.ts';
import { loadKnownPipeline } from '../in-version-one.ts';
import { renderStopped } from '../render-errors.ts';
import { runStatusAnswer } from '../wire/run.ts';
import { BASE, CHANGES } from './platform-endpoint.ts';

export function retryEndpoint(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    query: NO_PARAMETERS,
    path: `${BASE}/pipelines/:pipelineId/status/runs/:pipelineRunId/retry`,
    operationId: 'retryRunV1',
    summary: 'Retry a run',
    description:
      'Requests another attempt of a failed run, with the pipeline as it is now. A run that is not over or succeeded, a pipeline that is stopped or has another run, and a range that a later run ' +
      'covered are 400.',
    tag: 'Warehouse sync v1: status',
    params: pathParams({ pipelineId: Type.String(), pipelineRunId: Int64() }),
    responses: { 200: RunStatusAnswer },
    async handler({ caller, params: { pipelineId: id, pipelineRunId } }) {
      await loadKnownPipeline(deps.store, { workspaceId: caller.workspaceId, id });
      const run = await renderStopped(() => retryRun(deps, caller, { pipelineId: id, runId: BigInt(pipelineRunId) }));
      return { status: 200, body: runStatusAnswer(run, id) };
    },
  });
}
