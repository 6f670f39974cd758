import type { Endpoint } from '../http/index.ts';
import type { PipelinesDeps } from './pipelines-deps.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { fieldTransformationEndpoints } from './routes/field-transformations.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';
import { runEndpoints } from './routes/runs.ts';

/** Returns the endpoints of warehouse sync v2 that read no rows (D-110). */
export function pipelinesEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [
    ...connectionEndpoints(deps),
    ...dataModelEndpoints(deps),
    ...fieldTransformationEndpoints(deps),
    ...pipelineEndpoints(deps),
    ...runEndpoints(deps),
  ];
}
