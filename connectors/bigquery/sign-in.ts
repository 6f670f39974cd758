import type { OAuth2Client } from 'google-auth-library';
import type { BigQueryConfig } from './config.ts';
import type { Sdk } from './sdk.ts';
import { serviceAccountOf } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/bigquery';

export interface SignIn {
  readonly config: BigQueryConfig;
  /** A server in place of Google's takes any token: no key leaves for it, and Google is not asked. */
  readonly isLocal: boolean;
}

/**
 * Tokens for the REST API and the Storage Read API, both from the same place: a grant signed with the account's key, fetched
 * once an hour. Throws WAREHOUSE_CONFIG for a key that does not go with its account.
 */
export function signIn({ auth }: Sdk, { config, isLocal }: SignIn): OAuth2Client {
  const { email, privateKey, keyId } = serviceAccountOf(config);
  if (isLocal) {
    const client = new auth.OAuth2Client();
    // without a token of its own the SDK asks the metadata server of a cloud machine, and ends the process where there is none
    client.setCredentials({ access_token: 'local' });
    return client;
  }
  return new auth.JWT({ email, key: privateKey, scopes: [SCOPE], ...(keyId === undefined ? {} : { keyId }) });
}
