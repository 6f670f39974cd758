import type { Endpoint } from '../../http/index.ts';
import type { SyncDeps } from '../sync-deps.ts';
import { connectionEndpoints } from './routes/connections.ts';
import { dataModelEndpoints } from './routes/data-models.ts';
import { pipelineEndpoints } from './routes/pipelines.ts';
import { runEndpoints } from './routes/runs.ts';

/** Warehouse sync v1 (002, Endpoints), but for the retry of a run. */
export function versionOneEndpoints(deps: SyncDeps): readonly Endpoint[] {
  return [...connectionEndpoints(deps), ...dataModelEndpoints(deps), ...pipelineEndpoints(deps), ...runEndpoints(deps)];
}
