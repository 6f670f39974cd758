// Ways to sign in: a key of a service account, workload identity federation, or the identity of the daemon itself. Each can
// act as another service account. The library makes the calls; this file decides what reaches it.
import type { AuthClient } from 'google-auth-library';
import { AppError, field, say } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import type { Agents } from '../_shared/agents.ts';
import { identityNotAllowed } from '../_shared/cloud-identity.ts';
import { transportOf } from './agents.ts';
import type { BigQueryConfig } from './config.ts';
import { type ExternalAccount, readExternalAccount } from './external-account.ts';
import { fetchSubjectToken } from './fetch-subject-token.ts';
import type { Sdk } from './sdk.ts';
import { type ServiceAccountKey, serviceAccountOf } from './service-account.ts';

const BIGQUERY_SCOPE = 'https://www.googleapis.com/auth/bigquery';
const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
/** Scope with which an identity may ask for tokens of another account. */
const PLATFORM_SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

export interface SignIn {
  readonly config: BigQueryConfig;
  readonly environment: ConnectorEnvironment;
  readonly agents: Agents;
}

/**
 * Returns a source of tokens for the REST API and the Storage Read API. Throws WAREHOUSE_CONFIG for fields that contradict each
 * other, and for the daemon's identity where the operator does not allow it.
 */
export async function signIn({ auth }: Sdk, { config, environment, agents }: SignIn): Promise<AuthClient> {
  const account = accountOf(config, environment);
  const { bigquery } = environment.endpoints;
  if (bigquery !== undefined && (bigquery.signInEndpoint === undefined || account.kind === 'key'))
    return localClient(auth, agents);
  const impersonated =
    config.impersonate_service_account ?? (account.kind === 'external' ? account.impersonated : undefined);
  const scopes = scopesOf(config);
  const own = impersonated === undefined ? scopes : [PLATFORM_SCOPE];
  const client = await clientOf(auth, account, {
    ...{ environment, agents },
    scopes: own,
    projectId: config.project_id,
  });
  if (impersonated === undefined) return client;
  return new auth.Impersonated({
    sourceClient: client as never,
    targetPrincipal: impersonated,
    targetScopes: [...scopes],
    transporterOptions: transportOf(agents),
    ...(bigquery?.signInEndpoint === undefined ? {} : { endpoint: bigquery.signInEndpoint }),
  });
}

/** Returns the words for the identity that signs in. */
export function identityOf(config: BigQueryConfig): string {
  if (config.impersonate_service_account !== undefined) return config.impersonate_service_account;
  if (config.service_account_id !== undefined) return config.service_account_id;
  return config.application_default_credentials === true ? 'The identity of the daemon' : 'The federated identity';
}

type Account =
  | { readonly kind: 'key'; readonly key: ServiceAccountKey }
  | ({ readonly kind: 'external' } & ExternalAccount)
  | { readonly kind: 'daemon' };

/** Returns the account of a configuration. Throws WAREHOUSE_CONFIG as `signIn` does. */
export function accountOf(config: BigQueryConfig, { allowsCloudIdentity }: ConnectorEnvironment): Account {
  const { service_account_id, service_account_key, workload_identity } = config;
  if (workload_identity !== undefined) {
    const read = readExternalAccount(workload_identity);
    if (typeof read !== 'string') return { kind: 'external', ...read };
    throw new AppError('WAREHOUSE_CONFIG', say`${field('config.workload_identity')} ${read}.`);
  }
  if (service_account_id !== undefined && service_account_key !== undefined) {
    const key = { service_account_id, service_account_key };
    serviceAccountOf(key);
    return { kind: 'key', key };
  }
  if (allowsCloudIdentity) return { kind: 'daemon' };
  throw identityNotAllowed('config.application_default_credentials');
}

interface Wanted {
  readonly environment: ConnectorEnvironment;
  readonly agents: Agents;
  readonly scopes: readonly string[];
  readonly projectId: string;
}

async function clientOf(
  auth: Sdk['auth'],
  account: Account,
  { environment, agents, scopes, projectId }: Wanted,
): Promise<AuthClient> {
  const transporterOptions = transportOf(agents);
  // without a project the library asks Google for the number of its own, by an API that few projects have enabled. It keeps its
  // own transport: the operator's files say where the identity comes from, and the operator's variables by which proxy
  if (account.kind === 'daemon') return await new auth.GoogleAuth({ scopes: [...scopes], projectId }).getClient();
  if (account.kind === 'key') {
    const { email, privateKey, keyId } = serviceAccountOf(account.key);
    return new auth.JWT({
      email,
      key: privateKey,
      scopes: [...scopes],
      transporterOptions,
      ...(keyId === undefined ? {} : { keyId }),
    });
  }
  const { signInEndpoint } = environment.endpoints.bigquery ?? {};
  const client = new auth.IdentityPoolClient({
    type: 'external_account',
    audience: account.audience,
    subject_token_type: account.subjectTokenType,
    token_url: signInEndpoint === undefined ? account.tokenUrl : `${signInEndpoint}/v1/token`,
    transporterOptions,
    subject_token_supplier: { getSubjectToken: () => fetchSubjectToken(account.source, environment.network) },
  });
  client.scopes = [...scopes];
  return client;
}

function scopesOf({ drive_access }: BigQueryConfig): readonly string[] {
  return drive_access === true ? [BIGQUERY_SCOPE, DRIVE_SCOPE] : [BIGQUERY_SCOPE];
}

/** Returns a client of a local server: no key is sent to it, and Google is not called. */
function localClient(auth: Sdk['auth'], agents: Agents): AuthClient {
  const client = new auth.OAuth2Client({ transporterOptions: transportOf(agents) });
  // without its own token the SDK asks the metadata server of a cloud machine, and ends the process where there is none
  client.setCredentials({ access_token: 'local' });
  return client;
}
