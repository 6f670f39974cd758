import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { BASE, CHANGES, pathParams, TRIALS_LIMITED } from '../../pipelines/index.ts';
import { DryRunAnswer, PreviewAnswer, PreviewBody } from '../contract/trial.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { dryRun } from '../trials/dry-run.ts';
import { previewModel } from '../trials/preview-model.ts';

const refusals = {
  429: TRIALS_LIMITED,
  502: 'The warehouse cannot be reached.',
  504: 'The warehouse did not answer in time.',
};

/**
 * Returns the endpoints that run a model and keep nothing (D-110). They need the role admin, as `validate` does, because they
 * cost a scan and show data of the warehouse.
 */
export function trialEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [preview(deps), dry(deps)];
}

function preview(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${BASE}/data-models/:modelId/preview`,
    tag: 'Data models',
    refusals,
    operationId: 'previewDataModel',
    summary: 'Preview a data model',
    description: 'Reads the first rows of the model from one warehouse. Stores nothing.',
    params: pathParams({ modelId: Type.String() }),
    query: NO_PARAMETERS,
    body: PreviewBody,
    responses: { 200: PreviewAnswer },
    async handler({ caller, params: { modelId }, body: { connection_id: connectionId, limit }, signal }) {
      const { workspaceId } = caller;
      const request = { modelId, connectionId, limit, signal };
      const body = await deps.runTrial({ workspaceId, signal }, () => previewModel(deps, caller, request));
      return { status: 200, body };
    },
  });
}

function dry(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: `${BASE}/inputs/data-pipelines/:pipelineId/dry-run`,
    tag: 'Pipelines',
    refusals,
    operationId: 'dryRunPipeline',
    summary: 'Dry-run a pipeline',
    description: 'Shows for the first rows what a run triggered now would read and deliver. Stores nothing.',
    params: pathParams({ pipelineId: Type.String() }),
    query: NO_PARAMETERS,
    responses: { 200: DryRunAnswer },
    async handler({ caller, params: { pipelineId }, signal }) {
      const { workspaceId } = caller;
      const body = await deps.runTrial({ workspaceId, signal }, () => dryRun(deps, caller, { pipelineId, signal }));
      return { status: 200, body };
    },
  });
}
