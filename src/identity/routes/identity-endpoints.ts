import type { Endpoint } from '../../http/index.ts';
import type { IdentityEndpointsDeps } from './identity-endpoint.ts';
import { modifyEndpoint } from './modify-endpoint.ts';
import { resolveEndpoint } from './resolve-endpoint.ts';

/** Returns the endpoints of the identity API (D-047). */
export function identityEndpoints(deps: IdentityEndpointsDeps): readonly Endpoint[] {
  const verbs = ['identify', 'login', 'logout', 'search'] as const;
  return [...verbs.map((verb) => resolveEndpoint(deps, verb)), modifyEndpoint(deps)];
}
