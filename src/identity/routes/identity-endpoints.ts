import type { Endpoint } from '../../http/index.ts';
import type { IdentityEndpointsDeps } from './identity-endpoint.ts';
import { modifyEndpoint } from './modify-endpoint.ts';
import { resolveEndpoint } from './resolve-endpoint.ts';

/** The identity API (000, Endpoints; rulings §3). */
export function identityEndpoints(deps: IdentityEndpointsDeps): readonly Endpoint[] {
  const verbs = ['identify', 'login', 'logout', 'search'] as const;
  return [...verbs.map((verb) => resolveEndpoint(deps, verb)), modifyEndpoint(deps)];
}
