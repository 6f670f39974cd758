import type { Endpoint } from '../http/index.ts';
import type { PipelinesDeps } from '../pipelines/index.ts';
import type { EndpointDeps } from '../runs/index.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';
import { runEndpoints } from './routes/runs.ts';

/** Returns all endpoints of warehouse sync v1. */
export function versionOneEndpoints(deps: PipelinesDeps & EndpointDeps): readonly Endpoint[] {
  return [...connectionEndpoints(deps), ...dataModelEndpoints(deps), ...pipelineEndpoints(deps), ...runEndpoints(deps)];
}
