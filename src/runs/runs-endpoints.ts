import type { Endpoint } from '../http/index.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { cancelRunEndpoint } from './routes/cancel-run.ts';
import { conflictEndpoint } from './routes/conflicts.ts';
import { failedRecordEndpoints } from './routes/failed-records.ts';
import { runEndpoints } from './routes/runs.ts';
import { trialEndpoints } from './routes/trials.ts';

/** Returns the endpoints that request, read and cancel runs, try a model or a pipeline, and deliver rows again. */
export function runsEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [
    ...runEndpoints(deps),
    ...trialEndpoints(deps),
    cancelRunEndpoint(deps),
    ...failedRecordEndpoints(deps),
    conflictEndpoint(deps),
  ];
}
