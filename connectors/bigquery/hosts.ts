// Where BigQuery is: at Google, whose names are the same for every customer, or where the operator says.
import { template } from '../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../src/warehouse/index.ts';
import { resolveHost, type Target } from '../_shared/resolve-host.ts';

const HTTPS = 443;
/** No field of a connection leads there. */
const MADE_BY = template('the network and its name servers');
const GOOGLE: readonly Target[] = [
  { host: 'bigquery.googleapis.com', port: HTTPS },
  { host: 'bigquerystorage.googleapis.com', port: HTTPS },
  { host: 'oauth2.googleapis.com', port: HTTPS },
];

/** The first is the API's own. */
function targetsOf({ endpoints }: ConnectorEnvironment): readonly [Target, ...Target[]] {
  const [api, ...others] = GOOGLE as readonly [Target, ...Target[]];
  const { bigquery } = endpoints;
  if (bigquery === undefined) return [api, ...others];
  const { hostname, port, protocol } = new URL(bigquery.apiEndpoint);
  const defaultPort = protocol === 'https:' ? HTTPS : 80;
  const own = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
  return bigquery.storageEndpoint === undefined ? [own] : [own, bigquery.storageEndpoint];
}

/**
 * Throws what `resolveHost` does for the first place that the operator's rules keep closed; answers where the API is. The SDK
 * looks the names up once more when it connects: they are Google's or the operator's, never a caller's.
 */
export async function requireOpenHosts(environment: ConnectorEnvironment): Promise<Target> {
  const targets = targetsOf(environment);
  for (const target of targets) await resolveHost({ ...target, madeBy: MADE_BY }, environment.network);
  return targets[0];
}
