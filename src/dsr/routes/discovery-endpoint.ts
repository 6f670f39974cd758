import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { DiscoveryAnswer } from '../contract/answers.ts';
import { DISCOVERED_NAMES } from '../contract/identity-types.ts';
import type { Version } from '../read/draft.ts';
import { REQUEST_TYPES } from '../request-type.ts';
import { API_VERSION } from '../wire/request-answer.ts';
import { type EndpointContext, endpointOf, suffixOf } from './dsr-endpoint.ts';

/** Paths of the certificates (D-051). */
const CERTIFICATE_PATH: Readonly<Record<Version, string>> = {
  3: '/certificates/opendsr.pem',
  2: '/certificates/opendsr.pem',
  1: '/certificates/opengdpr.pem',
};

/** Request types in the order of the discovery answer. */
const SUPPORTED = [...REQUEST_TYPES].sort();

/** Returns the endpoint `GET /discovery`. */
export function discoveryEndpoint(context: EndpointContext, version: Version): Endpoint {
  return defineEndpoint({
    ...endpointOf(context, version),
    method: 'GET',
    path: `/dsr/v${version}/discovery`,
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    operationId: `discoverSubjectRequests${suffixOf(version)}`,
    summary: 'Discover supported requests',
    description: 'Supported identities and request types, and the certificate that signs answers.',
    responses: { 200: DiscoveryAnswer },
    handler: async () => ({
      status: 200,
      body: {
        api_version: API_VERSION[version],
        supported_identities: DISCOVERED_NAMES.map((name) => ({ identity_type: name, identity_format: 'raw' })),
        supported_subject_request_types: SUPPORTED,
        processor_certificate: `${context.baseUrl()}${CERTIFICATE_PATH[version]}`,
      },
    }),
  });
}
