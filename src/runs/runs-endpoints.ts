import type { Endpoint } from '../http/index.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { conflictEndpoint } from './routes/conflicts.ts';
import { runEndpoints } from './routes/runs.ts';
import { trialEndpoints } from './routes/trials.ts';

/** The extensions of rulings §7 that run a model, stop a run, or deliver rows again. */
export function runsEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [...trialEndpoints(deps), ...runEndpoints(deps), conflictEndpoint(deps)];
}
