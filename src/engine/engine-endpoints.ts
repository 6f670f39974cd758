import type { Endpoint } from '../http/index.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { conflictEndpoint } from './routes/conflicts.ts';
import { runEndpoints } from './routes/runs.ts';
import { trialEndpoints } from './routes/trials.ts';
import { versionOneEndpoints } from './routes/version-one.ts';

/** The extensions of rulings §7 that run a model, stop a run, or deliver rows again; the retry of a run in version 1. */
export function engineEndpoints(deps: EndpointDeps): readonly Endpoint[] {
  return [...trialEndpoints(deps), ...runEndpoints(deps), conflictEndpoint(deps), ...versionOneEndpoints(deps)];
}
