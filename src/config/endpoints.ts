// Servers that stand in for the vendors' own, so that a connector can be tried without an account. All are absent by
// default. They can lead a daemon to inner hosts, so the operator sets them, never a caller.
import type { Issue } from '../kernel/index.ts';
import { certificatesOf, hostAndPortOf, originOf } from './checks.ts';
import type { Reader } from './reader.ts';

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

/** Addresses in place of the vendors' own, which a connection's configuration names; absent: the vendor's own. */
export interface WarehouseEndpoints {
  /** `accessUrl` of every Snowflake connection, whatever its account: `http://host:port`. */
  readonly snowflake?: { readonly accessUrl: string };
  /** No key and no token of a connection goes to Google with it. */
  readonly bigquery?: {
    /** `http://host:port`. */
    readonly apiEndpoint: string;
    /** Storage Read API: gRPC without TLS. Absent: only pages. */
    readonly storageEndpoint?: HostAndPort;
    /** `http://host:port` in place of Google's token exchange and IAM. Absent: a fixed token, whatever the connection has. */
    readonly signInEndpoint?: string;
  };
  /** Speaks TLS. */
  readonly databricks?: HostAndPort & {
    /** PEM, in place of the system's authorities. */
    readonly ca?: string;
  };
  /** `http://host:port` in place of the APIs of AWS. */
  readonly aws?: { readonly endpoint: string };
}

export function readEndpoints(read: Reader, issues: Issue[]): WarehouseEndpoints {
  const accessUrl = read.parsed('PENSTOCK_SNOWFLAKE_ENDPOINT', originOf, 'http(s)://host:port');
  const bigquery = readBigQuery(read, issues);
  const gateway = read.parsed('PENSTOCK_DATABRICKS_ENDPOINT', hostAndPortOf, 'host:port');
  const ca = read.parsed('PENSTOCK_DATABRICKS_CA', certificatesOf, 'a PEM file with a certificate that can be read');
  const endpoint = read.parsed('PENSTOCK_AWS_ENDPOINT', originOf, 'http(s)://host:port');
  if (ca !== undefined && gateway === undefined) {
    issues.push({ path: 'PENSTOCK_DATABRICKS_ENDPOINT', message: 'is required together with PENSTOCK_DATABRICKS_CA.' });
  }
  return {
    ...(accessUrl && { snowflake: { accessUrl } }),
    ...(bigquery && { bigquery }),
    ...(gateway && { databricks: { ...gateway, ...(ca && { ca }) } }),
    ...(endpoint && { aws: { endpoint } }),
  };
}

function readBigQuery(read: Reader, issues: Issue[]): WarehouseEndpoints['bigquery'] {
  const apiEndpoint = read.parsed('PENSTOCK_BIGQUERY_ENDPOINT', originOf, 'http(s)://host:port');
  const storageEndpoint = read.parsed('PENSTOCK_BIGQUERY_STORAGE_ENDPOINT', hostAndPortOf, 'host:port');
  const signInEndpoint = read.parsed('PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT', originOf, 'http(s)://host:port');
  for (const [name, given] of [
    ['PENSTOCK_BIGQUERY_STORAGE_ENDPOINT', storageEndpoint],
    ['PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT', signInEndpoint],
  ]) {
    if (given !== undefined && apiEndpoint === undefined)
      issues.push({ path: 'PENSTOCK_BIGQUERY_ENDPOINT', message: `is required together with ${name}.` });
  }
  if (apiEndpoint === undefined) return undefined;
  return { apiEndpoint, ...(storageEndpoint && { storageEndpoint }), ...(signInEndpoint && { signInEndpoint }) };
}
