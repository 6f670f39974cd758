import type { Endpoint } from '../http/index.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { fieldTransformationEndpoints } from './routes/field-transformations.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';
import { runEndpoints } from './routes/runs.ts';
import type { SyncDeps } from './sync-deps.ts';
import { versionOneEndpoints } from './v1/version-one-endpoints.ts';

/** Warehouse sync v2 (002, Endpoints) with the extensions of rulings §7 that read no rows, and v1. */
export function syncEndpoints(deps: SyncDeps): readonly Endpoint[] {
  return [
    ...connectionEndpoints(deps),
    ...dataModelEndpoints(deps),
    ...fieldTransformationEndpoints(deps),
    ...pipelineEndpoints(deps),
    ...runEndpoints(deps),
    ...versionOneEndpoints(deps),
  ];
}
