import type { OAuth2Client } from 'google-auth-library';
import type { BigQueryConfig } from './config.ts';
import type { Sdk } from './sdk.ts';
import { serviceAccountOf } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/bigquery';

export interface SignIn {
  readonly config: BigQueryConfig;
  /** A server replaces Google's and takes any token: no key is sent to it, and Google is not called. */
  readonly isLocal: boolean;
}

/**
 * Returns a source of tokens for the REST API and the Storage Read API. A grant signed with the account's key fetches one each
 * hour. Throws WAREHOUSE_CONFIG for a key that does not belong to its account.
 */
export function signIn({ auth }: Sdk, { config, isLocal }: SignIn): OAuth2Client {
  const { email, privateKey, keyId } = serviceAccountOf(config);
  if (isLocal) {
    const client = new auth.OAuth2Client();
    // without its own token the SDK asks the metadata server of a cloud machine, and ends the process where there is none
    client.setCredentials({ access_token: 'local' });
    return client;
  }
  return new auth.JWT({ email, key: privateKey, scopes: [SCOPE], ...(keyId === undefined ? {} : { keyId }) });
}
