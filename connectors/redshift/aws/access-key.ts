// Access keys of a connection, and the configuration that the clients of all services of AWS share.
import { AppError, template } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { createAgents } from '../../_shared/agents.ts';
import { resolveHost, type Target } from '../../_shared/resolve-host.ts';
import type { RedshiftConfig } from '../config.ts';
import type { AccessKey, Aws, ClientConfig } from './aws-sdk.ts';

type Service = 'redshift' | 'redshift-serverless' | 'sts' | 's3';

interface Calling {
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
  readonly aws: Pick<Aws, 'sts'>;
  readonly region: string;
  readonly signal: AbortSignal;
}

export function secretsOf({ aws_secret_access_key, aws_session_token }: RedshiftConfig): readonly string[] {
  return [aws_secret_access_key, aws_session_token].filter((secret) => secret !== undefined);
}

/** Returns the key of the connection or of its role. Without either, the SDK looks for the identity of the daemon. */
export async function accessKeyOf(calling: Calling): Promise<AccessKey | undefined> {
  const { aws, config, signal } = calling;
  const own = ownKeyOf(calling);
  if (config.aws_assume_role_arn === undefined) return own;
  const client = new aws.sts.STSClient(await clientConfig(calling, 'sts', own));
  const externalId = config.aws_assume_role_external_id;
  const asked = new aws.sts.AssumeRoleCommand({
    RoleArn: config.aws_assume_role_arn,
    RoleSessionName: 'penstock',
    DurationSeconds: 900,
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
  });
  const { Credentials: given } = await client.send(asked, { abortSignal: signal }).finally(() => client.destroy());
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = given ?? {};
  const expiration = given?.Expiration;
  if (accessKeyId === undefined || secretAccessKey === undefined || sessionToken === undefined)
    throw new AppError('WAREHOUSE_UNKNOWN', 'AWS gave no access key for the role.');
  return { accessKeyId, secretAccessKey, sessionToken, ...(expiration === undefined ? {} : { expiration }) };
}

function ownKeyOf({ config, environment }: Calling): AccessKey | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token } = config;
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return {
      accessKeyId,
      secretAccessKey,
      ...(aws_session_token === undefined ? {} : { sessionToken: aws_session_token }),
    };
  if (environment.allowsCloudIdentity) return undefined;
  throw new AppError(
    'WAREHOUSE_CONFIG',
    template(
      '{config.aws_access_key_id} is missing. Give it with {config.aws_secret_access_key}, or ask the operator to allow the AWS identity of the daemon with PENSTOCK_CLOUD_IDENTITY.',
    ),
  );
}

const HTTPS = 443;
const CONNECT_MS = 5000;
const ANSWER_MS = 10_000;

/** Names every option that the SDK would else look up in the environment or in files of the daemon's user. */
export async function clientConfig(
  { environment, region }: Pick<Calling, 'environment' | 'region'>,
  service: Service,
  key: AccessKey | undefined,
): Promise<ClientConfig> {
  const endpoint =
    environment.endpoints.aws?.endpoint ?? `https://${service}.${region}.amazonaws.com${suffixOf(region)}`;
  const target = targetOf(endpoint);
  const agents = createAgents(environment.network);
  await resolveHost({ ...target, madeBy: template('{config.aws_region}') }, environment.network);
  return {
    region,
    endpoint,
    maxAttempts: 2,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    requestHandler: {
      // the client closes them when it is destroyed
      ...{ httpAgent: agents.http, httpsAgent: agents.https },
      connectionTimeout: CONNECT_MS,
      requestTimeout: Math.min(ANSWER_MS, environment.statementTimeoutMs),
      // without it, the SDK writes a warning to the console and waits on
      throwOnRequestTimeout: true,
    },
    ...(key === undefined ? {} : { credentials: key }),
  };
}

function suffixOf(region: string): string {
  return region.startsWith('cn-') ? '.cn' : '';
}

function targetOf(endpoint: string): Target {
  const { hostname, port, protocol } = new URL(endpoint);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  const standard = protocol === 'https:' ? HTTPS : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port), scheme };
}
