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
  const context = { ...deps, limits: createRequestLimits(deps) };
  const ofVersions = VERSIONS.flatMap((version) => [
    createEndpoint(context, version),
    ...(version === 3 ? [listEndpoint(context)] : []),
    getEndpoint(context, version),
    cancelEndpoint(context, version),
    discoveryEndpoint(context, version),
  ]);
  return [...ofVersions, resultEndpoint({ ...deps, guards: guardsOf(context, 3) }), ...partnerEndpoints(deps)];
}
