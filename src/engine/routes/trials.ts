import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { BASE, CHANGES, pathParams } from '../../sync/index.ts';
import { DryRunAnswer, PreviewAnswer, PreviewBody } from '../contract/trial.ts';
import { dryRun } from '../dry-run.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { previewModel } from '../preview-model.ts';

const refusals = { 502: 'The warehouse cannot be reached.', 504: 'The warehouse did not answer in time.' };

/**
 * Rulings §7, Extensions: calls that run a model and keep nothing.
 * not shown: their role; they cost a scan and show what is in the warehouse, so they are for admins, as `validate` is.
 */
export function trialEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [preview(deps), dry(deps)];
}

function preview(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...{ ...CHANGES, method: 'POST', path: `${BASE}/data-models/:modelId/preview`, tag: 'Data models', refusals },
    operationId: 'previewDataModel',
    summary: 'Some rows of the model on one warehouse; keeps nothing',
    params: pathParams({ modelId: Type.String() }),
    query: NO_PARAMETERS,
    body: PreviewBody,
    responses: { 200: PreviewAnswer },
    async handler({ caller, params: { modelId }, body: { connection_id: connectionId, limit }, signal }) {
      return { status: 200, body: await previewModel(deps, caller, { modelId, connectionId, limit, signal }) };
    },
  });
}

function dry(deps: EndpointDeps): Endpoint {
  return defineEndpoint({
    ...{
      ...CHANGES,
      method: 'POST',
      path: `${BASE}/inputs/data-pipelines/:pipelineId/dry-run`,
      tag: 'Pipelines',
      refusals,
    },
    operationId: 'dryRunPipeline',
    summary: 'What a run triggered now would read and keep, shown on its first rows; keeps nothing',
    params: pathParams({ pipelineId: Type.String() }),
    query: NO_PARAMETERS,
    responses: { 200: DryRunAnswer },
    async handler({ caller, params: { pipelineId }, signal }) {
      return { status: 200, body: await dryRun(deps, caller, { pipelineId, signal }) };
    },
  });
}
