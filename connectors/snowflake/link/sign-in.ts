import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { accessUrlOf, accountNameOf } from '../address.ts';
import type { SnowflakeConfig } from '../config.ts';
import type { Connection } from '../sdk.ts';
import { identityOf, missingIdentity, requireAllowed } from './cloud-identity.ts';
import { requireReadable } from './private-key.ts';
import { signInFailure } from './sign-in-failure.ts';

/**
 * Returns the SDK's options of a connection. Throws WAREHOUSE_CREDENTIALS for a key that cannot be read, and WAREHOUSE_CONFIG for
 * a way to sign in that the operator does not allow.
 */
export function optionsOf(config: SnowflakeConfig, environment: ConnectorEnvironment): object {
  const { warehouse, database, schema, role, user } = config;
  requireAllowed(config, environment);
  return {
    account: accountNameOf(config),
    accessUrl: accessUrlOf(config, environment),
    username: user,
    warehouse,
    database,
    role,
    ...(schema === undefined ? {} : { schema }),
    ...credentialsOf(config),
    rowMode: 'array',
    streamResult: true,
    representNullAsStringNull: false,
    // fetches one part of a result ahead of the one that is read
    resultPrefetch: 1,
    rowStreamHighWaterMark: 1000,
    // a read may take longer than the four hours after which an idle session ends
    clientSessionKeepAlive: true,
    // with no value, or 0, every bound statement would go through a stage
    arrayBindingThreshold: 1e9,
    // the engine retries
    sfRetryMaxLoginRetries: 0,
  };
}

function credentialsOf(config: SnowflakeConfig): object {
  const {
    password,
    private_key: privateKey,
    private_key_passphrase: passphrase,
    programmatic_access_token: token,
  } = config;
  if (privateKey !== undefined) {
    requireReadable(privateKey, passphrase);
    const pass = passphrase === undefined ? {} : { privateKeyPass: passphrase };
    return { authenticator: 'SNOWFLAKE_JWT', privateKey: privateKey.trim(), ...pass };
  }
  if (config.oauth_client_id !== undefined) return clientOf(config);
  if (config.workload_identity_provider !== undefined) return identityOf(config);
  return token === undefined ? { password } : { authenticator: 'PROGRAMMATIC_ACCESS_TOKEN', token };
}

/** Returns the options of a client that gets its tokens from an identity provider. */
function clientOf(config: SnowflakeConfig): object {
  return {
    authenticator: 'OAUTH_CLIENT_CREDENTIALS',
    oauthClientId: config.oauth_client_id,
    oauthClientSecret: config.oauth_client_secret,
    oauthTokenRequestUrl: config.oauth_token_url,
    // without a scope, the SDK asks for `session:role:` and the role
    ...(config.oauth_scope === undefined ? {} : { oauthScope: config.oauth_scope }),
  };
}

/** Signs in. Throws the SDK's error, marked as one of sign-in, and AppError for a missing identity of the machine. */
export function signIn(connection: Connection, config: SnowflakeConfig, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    // a metadata service is asked past our HTTP client, where an abort does not reach
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    connection.connect((failure) =>
      failure ? reject(missingIdentity(config, failure) ?? signInFailure(failure)) : resolve(),
    );
  });
}
