// Hosts of BigQuery: Google's, which are the same for every customer, or the operator's, and the source of a federated token.
import { template } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';
import type { BigQueryConfig } from './config.ts';
import { type ExternalAccount, readExternalAccount } from './external-account.ts';
import { sourceTarget } from './fetch-subject-token.ts';

const HTTPS = 443;
/** Source of Google's hosts, which no field of a connection can change. */
const MADE_BY = template('the network and its name servers');
const API = httpsOf('bigquery.googleapis.com');
export const STORAGE = httpsOf('bigquerystorage.googleapis.com');

interface Connecting {
  readonly config: BigQueryConfig;
  readonly environment: ConnectorEnvironment;
}

interface Reached {
  /** Field of the configuration that a complaint about the target names. */
  readonly path: string;
  readonly target: Target;
}

/** Returns the targets of a connection, the API's own first. */
export function targetsOf({ config, environment }: Connecting): readonly [Reached, ...Reached[]] {
  const { bigquery } = environment.endpoints;
  const external = externalOf(config);
  const source: readonly Reached[] =
    external === undefined ? [] : [{ path: 'config.workload_identity', target: sourceTarget(external.source) }];
  if (bigquery === undefined) return [reached(API), ...googleHosts(config, external).map(reached), ...source];
  const { apiEndpoint, storageEndpoint, signInEndpoint } = bigquery;
  return [
    reached(targetOf(apiEndpoint)),
    ...(storageEndpoint === undefined ? [] : [reached({ ...storageEndpoint, scheme: 'https' })]),
    ...(signInEndpoint === undefined ? [] : [reached(targetOf(signInEndpoint)), ...source]),
  ];
}

function reached(target: Target): Reached {
  return { path: 'config.project_id', target: { madeBy: MADE_BY, ...target } };
}

function externalOf({ workload_identity }: BigQueryConfig): ExternalAccount | undefined {
  const read = workload_identity === undefined ? '' : readExternalAccount(workload_identity);
  return typeof read === 'string' ? undefined : read;
}

/** Returns Google's other hosts for a configuration. The daemon's own identity signs in where the operator's files say. */
function googleHosts(config: BigQueryConfig, external: ExternalAccount | undefined): readonly Target[] {
  const impersonates = config.impersonate_service_account !== undefined || external?.impersonated !== undefined;
  const hosts = [
    STORAGE.host,
    ...(config.service_account_key === undefined ? [] : ['oauth2.googleapis.com']),
    ...(external === undefined ? [] : [new URL(external.tokenUrl).hostname]),
    ...(impersonates ? ['iamcredentials.googleapis.com'] : []),
  ];
  return hosts.map(httpsOf);
}

function httpsOf(host: string): Target {
  return { host, port: HTTPS, scheme: 'https' };
}

function targetOf(origin: string): Target {
  const { hostname, port, protocol } = new URL(origin);
  const defaultPort = protocol === 'https:' ? HTTPS : 80;
  const scheme = protocol === 'http:' ? 'http' : 'https';
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port), scheme };
}

/** Throws the error of `resolveHost` where the operator's rules refuse the target. */
export async function resolveTarget(target: Target, { network }: ConnectorEnvironment): Promise<void> {
  await resolveHost(target, network);
}

/**
 * Throws the error of `resolveHost` for the first host that the operator's rules refuse, and returns the API's host.
 * Each connection checks its host again: see `createAgents`.
 */
export async function requireOpenHosts(connecting: Connecting): Promise<Target> {
  const targets = targetsOf(connecting);
  for (const { target } of targets) await resolveTarget(target, connecting.environment);
  return targets[0].target;
}
