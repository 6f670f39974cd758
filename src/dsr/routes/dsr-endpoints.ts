import type { Endpoint } from '../../http/index.ts';
import { partnerEndpoints } from '../forwarding/partner-endpoints.ts';
import type { Version } from '../read/draft.ts';
import { createRequestLimits } from '../request-limits.ts';
import { resultEndpoint } from '../result/result-endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { discoveryEndpoint } from './discovery-endpoint.ts';
import { type DsrEndpointsDeps, guardsOf } from './dsr-endpoint.ts';
import { cancelEndpoint, getEndpoint, listEndpoint } from './request-endpoints.ts';

const VERSIONS: readonly Version[] = [3, 2, 1];

/** Returns the endpoints of the data subject request API. All versions share the same requests. */
export function dsrEndpoints(deps: DsrEndpointsDeps): readonly Endpoint[] {
  const serving = { ...deps, limits: createRequestLimits(deps) };
  const ofVersions = VERSIONS.flatMap((version) => [
    createEndpoint(serving, version),
    ...(version === 3 ? [listEndpoint(serving)] : []),
    getEndpoint(serving, version),
    cancelEndpoint(serving, version),
    discoveryEndpoint(serving, version),
  ]);
  return [...ofVersions, resultEndpoint({ ...deps, guards: guardsOf(serving, 3) }), ...partnerEndpoints(deps)];
}
