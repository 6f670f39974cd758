// Failures of the libraries that ask a machine's metadata service for its identity, as they throw them at one that answers 503
// or not at all. They retry for up to 20 s, so no service is asked here.
import { describe, expect, it } from 'vitest';
import { missingIdentity } from '../../../connectors/snowflake/link/cloud-identity.ts';

const failing = (message: string, fields: object = {}) => Object.assign(new Error(message), fields);
const AZURE =
  'ChainedTokenCredential authentication failed.\nCredentialUnavailableError: ' +
  'ManagedIdentityCredential: Network unreachable. Message: network_error: See https://aka.ms/msal.js.errors#network_error for details';

describe('an identity of the machine that cannot be read', () => {
  it.each([
    ['GCP', 'status 503', failing('Could not fetch ID token: busy', { status: 503, code: 503 })],
    ['GCP', 'silence', failing('Could not fetch ID token: The operation was aborted.')],
    ['AZURE', 'status 503 or silence', failing(AZURE, { name: 'AggregateAuthenticationError' })],
    ['AWS', 'status 503 of STS', failing('No.', { name: 'ServiceUnavailable', $metadata: { httpStatusCode: 503 } })],
    ['AWS', 'status 429 of STS', failing('No.', { name: 'Throttling', $metadata: { httpStatusCode: 429 } })],
  ] as const)('of %s passes after %s', (provider, _, failure) => {
    expect(missingIdentity({ workload_identity_provider: provider }, failure)).toMatchObject({
      code: 'WAREHOUSE_UNREACHABLE',
      message: expect.stringContaining('is in trouble'),
    });
  });

  it.each([
    ['GCP', failing('Could not load the default credentials.')],
    ['AZURE', failing('ManagedIdentityCredential: The managed identity endpoint is not available.')],
    ['AWS', failing('Could not load credentials from any providers', { name: 'CredentialsProviderError' })],
    ['AWS', failing('Not authorized.', { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } })],
  ] as const)('of %s is a fault where there is none: %s', (provider, failure) => {
    expect(missingIdentity({ workload_identity_provider: provider }, failure)).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining(`this machine has no identity of ${provider}`),
    });
  });
});
