import type { Endpoint } from '../http/index.ts';
import type { PipelinesDeps } from './pipelines-deps.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { fieldTransformationEndpoints } from './routes/field-transformations.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';
import { runEndpoints } from './routes/runs.ts';

/** Warehouse sync v2 (002, Endpoints) with the extensions of rulings §7 that read no rows. */
export function pipelinesEndpoints(deps: PipelinesDeps): readonly Endpoint[] {
  return [
    ...connectionEndpoints(deps),
    ...dataModelEndpoints(deps),
    ...fieldTransformationEndpoints(deps),
    ...pipelineEndpoints(deps),
    ...runEndpoints(deps),
  ];
}
