import type { Endpoint } from '../http/index.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { runEndpoints } from './routes/runs.ts';
import { trialEndpoints } from './routes/trials.ts';

/** The extensions of rulings §7 that run a model, stop a run, or deliver rows again. */
export function engineEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [...trialEndpoints(deps), ...runEndpoints(deps)];
}
