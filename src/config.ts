// Turns the environment into typed configuration. This is the only reader of process.env.
import { resolve } from 'node:path';
import {
  certificatesOf,
  httpAddressOf,
  isDatabaseUrl,
  isHostName,
  isHostOrNetwork,
  isNetwork,
  KEY_IN_BASE64,
} from './config/checks.ts';
import { type DsrConfig, readDsr } from './config/dsr.ts';
import { readEndpoints, type WarehouseEndpoints } from './config/endpoints.ts';
import { type FilePair, readFilePair } from './config/file-pair.ts';
import { readProxies, withProxyNames } from './config/proxies.ts';
import { createReader, type Environment, type Reader } from './config/reader.ts';
import { AppError, type EncryptionKey, type Issue, type Proxies, type Secret } from './kernel/index.ts';

export type { WarehouseEndpoints } from './config/endpoints.ts';

import { SETTINGS } from './config/settings.ts';

export { SETTINGS };

export interface Config {
  readonly home: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Public address; undefined: derived from host and port once the daemon listens. */
    readonly baseUrl: string | undefined;
    /** Paths of PEM files; undefined: plain HTTP. */
    readonly tls?: FilePair | undefined;
    readonly trustedProxies: readonly string[];
    /** Networks that may read /metrics; absent: this machine alone. */
    readonly metricsFrom?: readonly string[];
    readonly bodyLimitBytes: number;
    /** Host names at which /v1, /v2 and /v3 are those of the data subject request API. */
    readonly dsrHosts?: readonly string[];
  };
  readonly inputs: { readonly signatureWindowMs: number; readonly keyOnlyPerSecond: number };
  readonly store: {
    readonly databaseUrl: Secret | undefined;
    readonly port: number;
    /** Commits of the embedded store survive a crash of the machine, not only of the process. */
    readonly syncsToDisk: boolean;
    readonly poolSize: number;
    /** The server of `databaseUrl` keeps prepared statements; false behind most poolers in transaction mode. */
    readonly isPrepared?: boolean | undefined;
  };
  readonly keys: { readonly encryption: readonly EncryptionKey[]; readonly identity: Secret | undefined };
  readonly logLevel: string;
  readonly engine: {
    readonly workers: number;
    readonly workspaceRuns: number;
    readonly connectionRuns: number;
    readonly chunkRows: number;
    readonly runAttempts: number;
    readonly runHoldMs: number;
  };
  readonly duckdb: {
    readonly allowsEmbedded: boolean;
    readonly memoryMb: number;
    readonly threads: number;
    readonly spillMb: number;
  };
  readonly warehouse: {
    readonly allowedHosts: readonly string[];
    readonly statementTimeoutMs: number;
    readonly messageBytes: number;
    readonly endpoints: WarehouseEndpoints;
    /** Defaults of BigQuery connections. */
    readonly bigquery: { readonly maxBytesBilled: number; readonly location: string | undefined };
  };
  /** Previews, dry runs, validations and connection tests that one workspace may start in a minute. */
  readonly trialsPerMinute: number;
  /** Ids of the workspaces that may sign in with the daemon's own cloud identity, or `all`. */
  readonly cloudIdentity: readonly string[];
  /** The most that admins of workspaces may set, by the names of their limits. */
  readonly ceilings: Readonly<Record<string, number>>;
  /** Calls of URLs that a caller of the API gave. */
  readonly outgoing: {
    readonly allowedHosts: readonly string[];
    /** PEM, beside the system's authorities. */
    readonly ca: string | undefined;
    /** Proxies on the way out, also of connectors that speak HTTP. */
    readonly proxies: Proxies;
  };
  readonly dsr: DsrConfig;
}

const SPILL_PER_MEMORY = 4;
const ID_MEANING = 'the id of a workspace, or `all`';
const HOSTS_MEANING = 'a host name, `*.` and a domain, an address or network';

/** Reads the environment; throws CONFIG_INVALID that names every wrong variable at once. */
export function readConfig(environment: Environment = process.env): Config {
  const issues: Issue[] = [];
  const read = createReader(withProxyNames(environment), issues);
  const config: Config = {
    home: resolve(read.text('PENSTOCK_HOME')),
    http: readHttp(read, issues),
    inputs: {
      signatureWindowMs: read.integer('PENSTOCK_SIGNATURE_WINDOW_S', 1, 86_400) * 1000,
      keyOnlyPerSecond: read.integer('PENSTOCK_KEY_ONLY_PER_SECOND', 1, 1_000_000),
    },
    store: {
      databaseUrl: read.secret(
        'DATABASE_URL',
        isDatabaseUrl,
        'a postgres:// address; in its password, / ? # and @ are written %2F %3F %23 %40',
      ),
      port: read.integer('PENSTOCK_STORE_PORT', 0, 65_535),
      syncsToDisk: read.oneOf('PENSTOCK_STORE_FSYNC', ['on', 'off']) === 'on',
      poolSize: read.integer('PENSTOCK_POOL_SIZE', 4, 500),
      isPrepared: read.oneOf('PENSTOCK_STORE_PREPARED', ['on', 'off']) === 'on',
    },
    keys: {
      encryption: read.keys('PENSTOCK_ENCRYPTION_KEYS'),
      identity: read.secret('PENSTOCK_IDENTITY_KEY', (text) => KEY_IN_BASE64.test(text), '32 bytes in base64'),
    },
    logLevel: read.oneOf('PENSTOCK_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    engine: readEngine(read),
    duckdb: readDuckDb(read),
    warehouse: {
      allowedHosts: read.items('PENSTOCK_WAREHOUSE_HOSTS', isHostOrNetwork, HOSTS_MEANING),
      statementTimeoutMs: read.integer('PENSTOCK_WAREHOUSE_TIMEOUT_S', 1, 86_400) * 1000,
      messageBytes: read.integer('PENSTOCK_WAREHOUSE_MESSAGE_MB', 1, 1024) * (1 << 20),
      endpoints: readEndpoints(read, issues),
      bigquery: readBigQuery(read),
    },
    trialsPerMinute: read.integer('PENSTOCK_TRIALS_PER_MINUTE', 1, 100_000),
    cloudIdentity: read.items('PENSTOCK_CLOUD_IDENTITY', (item) => /^(?:all|[1-9]\d{0,18})$/.test(item), ID_MEANING),
    ceilings: readCeilings(read),
    outgoing: {
      allowedHosts: read.items('PENSTOCK_OUTGOING_ALLOWED_HOSTS', isHostOrNetwork, HOSTS_MEANING),
      ca: read.parsed('PENSTOCK_OUTGOING_CA', certificatesOf, 'a PEM file with a certificate that can be read'),
      proxies: readProxies(read, issues),
    },
    dsr: readDsr(read, issues),
  };
  requireNone(issues);
  return config;
}

function readHttp(read: Reader, issues: Issue[]): Config['http'] {
  return {
    host: read.text('PENSTOCK_HOST'),
    port: read.integer('PENSTOCK_PORT', 0, 65_535),
    baseUrl: read.parsed('PENSTOCK_BASE_URL', httpAddressOf, 'an http(s) address'),
    tls: readFilePair(read, issues, ['PENSTOCK_TLS_CERTIFICATE', 'PENSTOCK_TLS_KEY']),
    trustedProxies: read.items('PENSTOCK_TRUSTED_PROXIES', isNetwork, 'an address or network'),
    metricsFrom: read.items('PENSTOCK_METRICS_FROM', isNetwork, 'an address or network'),
    bodyLimitBytes: read.integer('PENSTOCK_BODY_LIMIT_BYTES', 1024, 1 << 30),
    dsrHosts: read.items('PENSTOCK_DSR_HOSTS', isHostName, 'a host name, without a port'),
  };
}

/** Lays the given ceilings over the default ones: naming one limit must not free the others. */
function readCeilings(read: Reader): Config['ceilings'] {
  const parse = (item: string) => /^([a-z_]+)=([1-9]\d{0,11})$/.exec(item);
  const items = read.items(
    'PENSTOCK_LIMIT_CEILINGS',
    (item) => parse(item) !== null,
    'the name of a limit, `=` and a whole number from 1',
  );
  const all = [...SETTINGS.PENSTOCK_LIMIT_CEILINGS.default.split(','), ...items];
  return Object.fromEntries(all.map((item) => parse(item) ?? []).map(([, name = '', most]) => [name, Number(most)]));
}

function readBigQuery(read: Reader): Config['warehouse']['bigquery'] {
  const location = (text: string) => (/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/i.test(text) ? text : undefined);
  return {
    maxBytesBilled: read.integer('PENSTOCK_BIGQUERY_MAX_BYTES_BILLED', 0, Number.MAX_SAFE_INTEGER),
    location: read.parsed('PENSTOCK_BIGQUERY_LOCATION', location, 'a location of BigQuery such as EU or europe-west4'),
  };
}

function readDuckDb(read: Reader): Config['duckdb'] {
  const memoryMb = read.integer('PENSTOCK_DUCKDB_MEMORY_MB', 64, 1 << 20);
  return {
    allowsEmbedded: read.oneOf('PENSTOCK_DUCKDB', ['on', 'off']) === 'on',
    memoryMb,
    threads: read.integer('PENSTOCK_DUCKDB_THREADS', 1, 256),
    spillMb:
      read.text('PENSTOCK_DUCKDB_SPILL_MB') === ''
        ? SPILL_PER_MEMORY * memoryMb
        : read.integer('PENSTOCK_DUCKDB_SPILL_MB', 0, 1 << 30),
  };
}

function readEngine(read: Reader): Config['engine'] {
  return {
    workers: read.integer('PENSTOCK_WORKERS', 0, 64),
    workspaceRuns: read.integer('PENSTOCK_WORKSPACE_RUNS', 1, 1000),
    connectionRuns: read.integer('PENSTOCK_CONNECTION_RUNS', 1, 1000),
    chunkRows: read.integer('PENSTOCK_CHUNK_ROWS', 1, 100_000),
    runAttempts: read.integer('PENSTOCK_RUN_ATTEMPTS', 1, 100),
    // the job of a run expires after a day
    runHoldMs: read.integer('PENSTOCK_RUN_HOURS', 1, 23) * 3_600_000,
  };
}

function requireNone(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const text = issues.map(({ path, message }) => `${path}: ${message}`).join('\n');
  throw new AppError('CONFIG_INVALID', text, { issues });
}
