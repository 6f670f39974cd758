// Environment → typed configuration. The only reader of process.env; the README's table is generated from SETTINGS.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { AppError, asAppError, createKeyRing, type EncryptionKey, type Issue, Secret } from './kernel/index.ts';

interface Setting {
  readonly meaning: string;
  readonly default: string;
  readonly secret?: true;
}

/** Every variable that Penstock reads, with its default as a person would write it. */
export const SETTINGS = {
  PENSTOCK_HOME: {
    default: './.penstock',
    meaning: 'Folder of the embedded store, its keys and the workspaces’ DuckDB files.',
  },
  PENSTOCK_HOST: { default: '127.0.0.1', meaning: 'Address the API listens on.' },
  PENSTOCK_PORT: { default: '8080', meaning: 'Port the API listens on; 0 takes a free one.' },
  PENSTOCK_BASE_URL: {
    default: '',
    meaning: 'Public address of the API and audience of its tokens; without it http://host:port.',
  },
  PENSTOCK_TLS_CERTIFICATE: {
    default: '',
    meaning:
      'PEM file of a certificate and its chain: the API speaks HTTPS and nothing else. New files count within seconds.',
  },
  PENSTOCK_TLS_KEY: { default: '', meaning: 'PEM file of the certificate’s key.' },
  PENSTOCK_TRUSTED_PROXIES: {
    default: '',
    meaning:
      'Addresses or networks, comma separated, whose X-Forwarded-* headers are believed. Behind a proxy that is not among them all clients share one limit of failed sign-ins.',
  },
  PENSTOCK_METRICS_FROM: {
    default: '127.0.0.0/8,::1',
    meaning: 'Addresses or networks, comma separated, that may read /metrics.',
  },
  PENSTOCK_BODY_LIMIT_BYTES: { default: '1048576', meaning: 'Largest request body of the platform API, decompressed.' },
  PENSTOCK_SIGNATURE_WINDOW_S: {
    default: '300',
    meaning: 'Seconds that the Date header of a signed request may be from now.',
  },
  PENSTOCK_KEY_ONLY_PER_SECOND: {
    default: '50',
    meaning: 'Requests with a public key alone that one address may send in a second, to each daemon.',
  },
  DATABASE_URL: { default: '', meaning: 'A PostgreSQL to use as store instead of the embedded one.', secret: true },
  PENSTOCK_STORE_PORT: {
    default: '0',
    meaning: 'Port of the embedded store; 0 takes a free one at the first start and keeps it.',
  },
  PENSTOCK_STORE_FSYNC: {
    default: 'on',
    meaning:
      '`off` makes the embedded store quicker and lets it break when the machine itself goes down: for trials and tests.',
  },
  PENSTOCK_POOL_SIZE: { default: '10', meaning: 'Most connections this daemon holds to its store.' },
  PENSTOCK_ENCRYPTION_KEYS: {
    default: '',
    meaning: 'Keys that encrypt stored secrets, `id:base64` of 32 bytes, comma separated, the newest first.',
    secret: true,
  },
  PENSTOCK_IDENTITY_KEY: {
    default: '',
    meaning: 'Key of the identity hashes, 32 bytes in base64. It can never change.',
    secret: true,
  },
  PENSTOCK_LOG_LEVEL: { default: 'info', meaning: 'trace, debug, info, warn, error, fatal or silent.' },
  PENSTOCK_WORKERS: { default: '2', meaning: 'Runs this daemon works on at the same time; 0 serves the API only.' },
  PENSTOCK_WORKSPACE_RUNS: { default: '4', meaning: 'Most runs of one workspace at the same time, over all daemons.' },
  PENSTOCK_CONNECTION_RUNS: {
    default: '4',
    meaning: 'Most runs over one connection at the same time, over all daemons.',
  },
  PENSTOCK_CHUNK_ROWS: { default: '10000', meaning: 'Rows that are delivered in one transaction.' },
  PENSTOCK_WAREHOUSE_HOSTS: {
    default: '',
    meaning:
      'Hosts that connections may lead to, comma separated: names, `*.example.com` for all below, addresses or networks; empty: any. The store’s own address is always refused.',
  },
  PENSTOCK_WAREHOUSE_TIMEOUT_S: {
    default: '3600',
    meaning: 'Seconds that a warehouse may work on a statement, or on the next rows of one, before it is broken off.',
  },
  PENSTOCK_DUCKDB_MEMORY_MB: { default: '64', meaning: 'Memory limit of each open DuckDB warehouse, in MiB.' },
  PENSTOCK_DUCKDB_THREADS: { default: '1', meaning: 'Threads of each open DuckDB warehouse.' },
  PENSTOCK_RUN_HOURS: {
    default: '20',
    meaning: 'A run that was worked on for so many hours goes back to the queue, and on from where it stands.',
  },
  PENSTOCK_RUN_ATTEMPTS: { default: '5', meaning: 'Attempts of a run before it counts as failed.' },
} as const satisfies Record<string, Setting>;

/** 32 bytes are 43 digits and one `=`. */
const KEY_IN_BASE64 = /^[\w+/-]{43}=?$/;

const HOST_PATTERN = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

type SettingName = keyof typeof SETTINGS;
type Environment = Readonly<Record<string, string | undefined>>;

export interface Config {
  readonly home: string;
  readonly http: {
    readonly host: string;
    readonly port: number;
    /** Undefined: derived from host and port once the daemon listens. */
    readonly baseUrl: string | undefined;
    /** Paths of PEM files; undefined: plain HTTP. */
    readonly tls?: { readonly certificate: string; readonly key: string } | undefined;
    readonly trustedProxies: readonly string[];
    /** Absent: this machine alone. */
    readonly metricsFrom?: readonly string[];
    readonly bodyLimitBytes: number;
  };
  readonly inputs: { readonly signatureWindowMs: number; readonly keyOnlyPerSecond: number };
  readonly store: {
    readonly databaseUrl: Secret | undefined;
    readonly port: number;
    /** Of the embedded one: what it answered outlives the machine, not only the process. */
    readonly syncsToDisk: boolean;
    readonly poolSize: number;
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
  readonly duckdb: { readonly memoryMb: number; readonly threads: number };
  readonly warehouse: { readonly allowedHosts: readonly string[]; readonly statementTimeoutMs: number };
}

/** Reads the environment; throws CONFIG_INVALID that names every wrong variable at once. */
export function readConfig(environment: Environment = process.env): Config {
  const issues: Issue[] = [];
  const read = reader(environment, issues);
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
    },
    keys: {
      encryption: read.keys('PENSTOCK_ENCRYPTION_KEYS'),
      identity: read.secret('PENSTOCK_IDENTITY_KEY', (text) => KEY_IN_BASE64.test(text), '32 bytes in base64'),
    },
    logLevel: read.oneOf('PENSTOCK_LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
    engine: readEngine(read),
    duckdb: {
      memoryMb: read.integer('PENSTOCK_DUCKDB_MEMORY_MB', 64, 1 << 20),
      threads: read.integer('PENSTOCK_DUCKDB_THREADS', 1, 256),
    },
    warehouse: {
      allowedHosts: read.items(
        'PENSTOCK_WAREHOUSE_HOSTS',
        isHostOrNetwork,
        'a host name, `*.` and a domain, an address or network',
      ),
      statementTimeoutMs: read.integer('PENSTOCK_WAREHOUSE_TIMEOUT_S', 1, 86_400) * 1000,
    },
  };
  requireNone(issues);
  return config;
}

function readHttp(read: ReturnType<typeof reader>, issues: Issue[]): Config['http'] {
  return {
    host: read.text('PENSTOCK_HOST'),
    port: read.integer('PENSTOCK_PORT', 0, 65_535),
    baseUrl: read.url('PENSTOCK_BASE_URL'),
    tls: readTls(read, issues),
    trustedProxies: read.items('PENSTOCK_TRUSTED_PROXIES', isNetwork, 'an address or network'),
    metricsFrom: read.items('PENSTOCK_METRICS_FROM', isNetwork, 'an address or network'),
    bodyLimitBytes: read.integer('PENSTOCK_BODY_LIMIT_BYTES', 1024, 1 << 30),
  };
}

/** Both files or none. */
function readTls({ text }: ReturnType<typeof reader>, issues: Issue[]): Config['http']['tls'] {
  const [certificate, key] = [text('PENSTOCK_TLS_CERTIFICATE'), text('PENSTOCK_TLS_KEY')];
  if (certificate !== '' && key !== '') return { certificate, key };
  if (certificate !== '')
    issues.push({ path: 'PENSTOCK_TLS_KEY', message: 'is missing beside PENSTOCK_TLS_CERTIFICATE.' });
  if (key !== '') issues.push({ path: 'PENSTOCK_TLS_CERTIFICATE', message: 'is missing beside PENSTOCK_TLS_KEY.' });
  return undefined;
}

function readEngine(read: ReturnType<typeof reader>): Config['engine'] {
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

function reader(environment: Environment, issues: Issue[]) {
  const text = (name: SettingName): string => environment[name]?.trim() || SETTINGS[name].default;
  const complain = (path: SettingName, message: string) => issues.push({ path, message });
  const optional = (name: SettingName): string | undefined => text(name) || undefined;
  const list = (name: SettingName): string[] =>
    text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  return {
    text,
    integer(name: SettingName, least: number, most: number): number {
      const value = Number(text(name));
      if (Number.isInteger(value) && value >= least && value <= most) return value;
      complain(name, `"${text(name)}" is not a whole number from ${least} to ${most}.`);
      return least;
    },
    oneOf(name: SettingName, allowed: readonly string[]): string {
      if (!allowed.includes(text(name))) complain(name, `"${text(name)}" is none of ${allowed.join(', ')}.`);
      return text(name);
    },
    url(name: SettingName): string | undefined {
      const value = optional(name);
      if (value === undefined) return undefined;
      const url = URL.parse(value);
      if (url === null || !/^https?:$/.test(url.protocol)) complain(name, `"${value}" is not an http(s) address.`);
      return value.replace(/\/+$/, '');
    },
    items(name: SettingName, fits: (item: string) => boolean, meaning: string): string[] {
      for (const item of list(name)) if (!fits(item)) complain(name, `"${item}" is not ${meaning}.`);
      return list(name);
    },
    /** The value stays out of the complaint: it may be the secret with a slip in it. */
    secret(name: SettingName, fits: (text: string) => boolean, meaning: string): Secret | undefined {
      const value = optional(name);
      if (value === undefined) return undefined;
      if (!fits(value)) complain(name, `the value is not ${meaning}.`);
      return new Secret(value);
    },
    keys(name: SettingName): EncryptionKey[] {
      const keys = list(name).map((item) => {
        const [id = '', ...rest] = item.split(':');
        return { id: rest.length === 0 ? '' : id, key: new Secret(rest.join(':')) };
      });
      const refusal = keys.length === 0 ? undefined : refusalOfKeys(keys);
      if (refusal !== undefined) complain(name, `${refusal} Each key is written \`id:base64\`.`);
      return keys;
    },
  };
}

/** As the driver reads it, which takes an address without a host where it names a socket. */
function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace('@/', '@socket/'));
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  );
}

function isHostOrNetwork(text: string): boolean {
  return isNetwork(text) || HOST_PATTERN.test(text);
}

function refusalOfKeys(keys: readonly EncryptionKey[]): string | undefined {
  try {
    createKeyRing(keys);
    return undefined;
  } catch (error) {
    return asAppError(error).message;
  }
}
