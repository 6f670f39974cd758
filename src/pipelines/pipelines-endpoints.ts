import type { Endpoint } from '../http/index.ts';
import type { PipelinesEndpointDeps } from './pipelines-deps.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { fieldTransformationEndpoints } from './routes/field-transformations.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';

/** Returns the endpoints of connections, data models, field transformations and pipelines. */
export function pipelinesEndpoints(deps: PipelinesEndpointDeps): readonly Endpoint[] {
  return [
    ...connectionEndpoints(deps),
    ...dataModelEndpoints(deps),
    ...fieldTransformationEndpoints(deps),
    ...pipelineEndpoints(deps),
  ];
}
