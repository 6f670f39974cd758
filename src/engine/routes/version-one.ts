import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, NO_PARAMETERS } from '../../http/index.ts';
import {
  loadKnownPipeline,
  pathParams,
  RunStatusAnswer,
  renderStopped,
  runStatusAnswer,
  VERSION_ONE,
  VERSION_ONE_CHANGES,
} from '../../sync/index.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { retryRun } from '../retry-run.ts';

/** 002, Endpoints, Warehouse sync version 1: what the rest of it leaves to the worker's room. */
export function versionOneEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [retry(deps)];
}

function retry(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...{ ...VERSION_ONE_CHANGES, method: 'POST', query: NO_PARAMETERS },
    path: `${VERSION_ONE}/pipelines/:pipelineId/status/runs/:pipelineRunId/retry`,
    operationId: 'retryRunV1',
    summary: 'Requests another attempt of a run that failed, with the pipeline as it is now',
    description:
      'A run that is not over or succeeded, a pipeline that is stopped or has another run, and a range that a later run ' +
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
