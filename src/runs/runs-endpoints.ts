import type { Endpoint } from '../http/index.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { conflictEndpoint } from './routes/conflicts.ts';
import { runEndpoints } from './routes/runs.ts';
import { trialEndpoints } from './routes/trials.ts';

/** Returns the endpoints that run a model, stop a run, or deliver rows again (D-110). */
export function runsEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [...trialEndpoints(deps), ...runEndpoints(deps), conflictEndpoint(deps)];
}
