// Hosts of BigQuery: Google's, which are the same for every customer, or the operator's.
import { template } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';

const HTTPS = 443;
/** Source of Google's hosts, which no field of a connection can change. */
const MADE_BY = template('the network and its name servers');
const GOOGLE: readonly [Target, ...Target[]] = [
  { host: 'bigquery.googleapis.com', port: HTTPS },
  { host: 'bigquerystorage.googleapis.com', port: HTTPS },
  { host: 'oauth2.googleapis.com', port: HTTPS },
];

/** Returns the targets, the API's own first. */
function targetsOf({ endpoints }: ConnectorEnvironment): readonly [Target, ...Target[]] {
  const { bigquery } = endpoints;
  if (bigquery === undefined) return GOOGLE;
  const { hostname, port, protocol } = new URL(bigquery.apiEndpoint);
  const defaultPort = protocol === 'https:' ? HTTPS : 80;
  const own = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
  return bigquery.storageEndpoint === undefined ? [own] : [own, bigquery.storageEndpoint];
}

/**
 * Throws the error of `resolveHost` for the first host that the operator's rules refuse, and returns the API's host.
 * The SDK looks the names up once more when it connects: they are Google's or the operator's, never a caller's.
 */
export async function requireOpenHosts(environment: ConnectorEnvironment): Promise<Target> {
  const targets = targetsOf(environment);
  for (const target of targets) await resolveHost({ ...target, madeBy: MADE_BY }, environment.network);
  return targets[0];
}
