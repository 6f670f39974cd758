import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig, SETTINGS } from '../../src/config.ts';

const HERE = 'http://127.0.0.1:9050';
const KEY = Buffer.alloc(32, 1).toString('base64');
const PEM_FILE = fileURLToPath(new URL('../support/apis/localhost-certificate.ts', import.meta.url));
const OTHER_KEY = Buffer.alloc(32, 250).toString('base64');

describe('without any variable', () => {
  test('everything has its default', () => {
    expect(readConfig({})).toEqual({
      home: resolve('.penstock'),
      http: {
        ...{ host: '127.0.0.1', port: 8080, baseUrl: undefined, trustedProxies: [], bodyLimitBytes: 1_048_576 },
        metricsFrom: ['127.0.0.0/8', '::1'],
        dsrHosts: [],
      },
      inputs: { signatureWindowMs: 300_000, keyOnlyPerSecond: 50 },
      store: { databaseUrl: undefined, port: 0, syncsToDisk: true, poolSize: 10, isPrepared: true },
      keys: { encryption: [], identity: undefined },
      logLevel: 'info',
      engine: {
        workers: 3,
        workspaceRuns: 2,
        connectionRuns: 4,
        chunkRows: 10_000,
        runAttempts: 5,
        runHoldMs: 72_000_000,
      },
      duckdb: { allowsEmbedded: true, memoryMb: 320, threads: 1, spillMb: 1280 },
      trialsPerMinute: 120,
      warehouse: {
        ...{ allowedHosts: [], statementTimeoutMs: 3_600_000, messageBytes: 64 << 20, endpoints: {} },
        bigquery: { maxBytesBilled: 2 ** 40, location: undefined },
      },
      cloudIdentity: [],
      ceilings: { batch_bytes: 1_048_576, request_bytes: 4_194_304 },
      outgoing: { allowedHosts: [], ca: undefined, proxies: { except: [] } },
      dsr: {
        domain: 'localhost',
        domainAliases: [],
        accessCron: '* * * * *',
        callbackMinutes: 15,
        fillerCarriers: 1000,
      },
    });
  });

  test('an empty or blank variable counts as not set', () => {
    const blank = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '  ']));
    expect(readConfig(blank)).toEqual(readConfig({}));
  });
});

describe('a variable that is set', () => {
  test.each<[string, string, (config: ReturnType<typeof readConfig>) => unknown, unknown]>([
    ['PENSTOCK_HOME', '/srv/pen stock', (config) => config.home, '/srv/pen stock'],
    ['PENSTOCK_HOST', '0.0.0.0', (config) => config.http.host, '0.0.0.0'],
    ['PENSTOCK_PORT', '0', (config) => config.http.port, 0],
    ['PENSTOCK_BASE_URL', 'https://x.example/api//', (config) => config.http.baseUrl, 'https://x.example/api'],
    ['PENSTOCK_TRUSTED_PROXIES', '10.0.0.0/8, ::1', (config) => config.http.trustedProxies, ['10.0.0.0/8', '::1']],
    ['PENSTOCK_METRICS_FROM', '10.0.0.0/8', (config) => config.http.metricsFrom, ['10.0.0.0/8']],
    ['PENSTOCK_BODY_LIMIT_BYTES', '2048', (config) => config.http.bodyLimitBytes, 2048],
    ['DATABASE_URL', 'postgres://u:p@h/d', (config) => config.store.databaseUrl?.reveal(), 'postgres://u:p@h/d'],
    ['DATABASE_URL', 'postgres:///d?host=/s', (config) => config.store.databaseUrl?.reveal(), 'postgres:///d?host=/s'],
    ['DATABASE_URL', 'postgresql://u@/d', (config) => config.store.databaseUrl?.reveal(), 'postgresql://u@/d'],
    ['PENSTOCK_STORE_PORT', '5433', (config) => config.store.port, 5433],
    ['PENSTOCK_STORE_FSYNC', 'off', (config) => config.store.syncsToDisk, false],
    ['PENSTOCK_DSR_ACCESS_CRON', '0 */6 * * *', ({ dsr }) => dsr.accessCron, '0 */6 * * *'],
    ['PENSTOCK_POOL_SIZE', '4', (config) => config.store.poolSize, 4],
    ['PENSTOCK_STORE_PREPARED', 'off', (config) => config.store.isPrepared, false],
    ['PENSTOCK_ENCRYPTION_KEYS', `a:${KEY}`, (config) => config.keys.encryption[0]?.key.reveal(), KEY],
    ['PENSTOCK_IDENTITY_KEY', KEY, (config) => config.keys.identity?.reveal(), KEY],
    ['PENSTOCK_LOG_LEVEL', 'silent', (config) => config.logLevel, 'silent'],
    ['PENSTOCK_WORKERS', '0', (config) => config.engine.workers, 0],
    ['PENSTOCK_WORKSPACE_RUNS', '9', (config) => config.engine.workspaceRuns, 9],
    ['PENSTOCK_CONNECTION_RUNS', '9', (config) => config.engine.connectionRuns, 9],
    ['PENSTOCK_TRIALS_PER_MINUTE', '6', ({ trialsPerMinute }) => trialsPerMinute, 6],
    ['PENSTOCK_CHUNK_ROWS', '500', (config) => config.engine.chunkRows, 500],
    ['PENSTOCK_RUN_ATTEMPTS', '1', (config) => config.engine.runAttempts, 1],
    ['PENSTOCK_RUN_HOURS', '2', (config) => config.engine.runHoldMs, 7_200_000],
    [
      'PENSTOCK_WAREHOUSE_HOSTS',
      'db.example.com, *.example.org,10.0.0.0/8',
      ({ warehouse }) => warehouse.allowedHosts,
      ['db.example.com', '*.example.org', '10.0.0.0/8'],
    ],
    ['PENSTOCK_WAREHOUSE_TIMEOUT_S', '60', ({ warehouse }) => warehouse.statementTimeoutMs, 60_000],
    ['PENSTOCK_SNOWFLAKE_ENDPOINT', `${HERE}/`, ({ warehouse }) => warehouse.endpoints.snowflake, { accessUrl: HERE }],
    [
      'PENSTOCK_BIGQUERY_ENDPOINT',
      'http://[::1]:9050',
      ({ warehouse }) => warehouse.endpoints.bigquery,
      { apiEndpoint: 'http://[::1]:9050' },
    ],
    ['PENSTOCK_BIGQUERY_LOCATION', 'europe-west4', ({ warehouse }) => warehouse.bigquery.location, 'europe-west4'],
    ['PENSTOCK_CLOUD_IDENTITY', '7, 9', ({ cloudIdentity }) => cloudIdentity, ['7', '9']],
    [
      'PENSTOCK_DATABRICKS_ENDPOINT',
      'localhost:8443',
      ({ warehouse }) => warehouse.endpoints.databricks,
      { host: 'localhost', port: 8443 },
    ],
    ['PENSTOCK_AWS_ENDPOINT', HERE, ({ warehouse }) => warehouse.endpoints.aws, { endpoint: HERE }],
    ['PENSTOCK_OUTGOING_ALLOWED_HOSTS', '*.inner', ({ outgoing }) => outgoing.allowedHosts, ['*.inner']],
    ['PENSTOCK_OUTGOING_CA', PEM_FILE, ({ outgoing }) => outgoing.ca, readFileSync(PEM_FILE, 'utf8')],
    ['PENSTOCK_DSR_FILLER_CARRIERS', '50', ({ dsr }) => dsr.fillerCarriers, 50],
    ['PENSTOCK_DSR_CALLBACK_MINUTES', '5', ({ dsr }) => dsr.callbackMinutes, 5],
    ['PENSTOCK_DUCKDB_MEMORY_MB', '512', (config) => config.duckdb.memoryMb, 512],
    ['PENSTOCK_DUCKDB_MEMORY_MB', '512', (config) => config.duckdb.spillMb, 2048],
    ['PENSTOCK_DUCKDB_SPILL_MB', '0', (config) => config.duckdb.spillMb, 0],
    ['PENSTOCK_DUCKDB', 'off', (config) => config.duckdb.allowsEmbedded, false],
    ['PENSTOCK_WAREHOUSE_MESSAGE_MB', '2', ({ warehouse }) => warehouse.messageBytes, 2_097_152],
    ['PENSTOCK_LIMIT_CEILINGS', 'request_bytes=5', ({ ceilings }) => ceilings.batch_bytes, 1_048_576],
    [
      'PENSTOCK_LIMIT_CEILINGS',
      'a_b=5, c=6',
      ({ ceilings }) => ceilings,
      { batch_bytes: 1_048_576, request_bytes: 4_194_304, a_b: 5, c: 6 },
    ],
    ['PENSTOCK_DUCKDB_THREADS', '2', (config) => config.duckdb.threads, 2],
  ])('%s=%s is taken', (name, value, ...[read, expected]) => {
    expect(Object.keys(SETTINGS)).toContain(name);
    expect(read(readConfig({ [name]: ` ${value} ` }))).toEqual(expected);
  });

  test('a certificate and its key are taken together', () => {
    const environment = { PENSTOCK_TLS_CERTIFICATE: '/a.pem', PENSTOCK_TLS_KEY: '/b.pem' };
    expect(readConfig(environment).http.tls).toEqual({ certificate: '/a.pem', key: '/b.pem' });
  });

  test('what belongs to the endpoint of a warehouse is taken with it', () => {
    const { endpoints } = readConfig({
      PENSTOCK_BIGQUERY_ENDPOINT: HERE,
      PENSTOCK_BIGQUERY_STORAGE_ENDPOINT: '[::1]:9060',
      PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT: HERE,
      PENSTOCK_DATABRICKS_ENDPOINT: '127.0.0.1:8443',
      PENSTOCK_DATABRICKS_CA: PEM_FILE,
    }).warehouse;
    expect(endpoints).toEqual({
      bigquery: { apiEndpoint: HERE, storageEndpoint: { host: '::1', port: 9060 }, signInEndpoint: HERE },
      databricks: { host: '127.0.0.1', port: 8443, ca: readFileSync(PEM_FILE, 'utf8') },
    });
  });

  test('several encryption keys keep their order', () => {
    const { encryption } = readConfig({ PENSTOCK_ENCRYPTION_KEYS: `new:${KEY}, old:${OTHER_KEY}` }).keys;
    expect(encryption.map(({ id }) => id)).toEqual(['new', 'old']);
  });
});

describe('a wrong value', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['PENSTOCK_ENCRYPTION_KEYS', `k2:${KEY},`],
    ['PENSTOCK_ENCRYPTION_KEYS', `, k2:${KEY}`],
    ['PENSTOCK_ENCRYPTION_KEYS', `k2:${KEY}, ,old:${OTHER_KEY}`],
    ['PENSTOCK_PORT', '65536'],
    ['PENSTOCK_PORT', '-1'],
    ['PENSTOCK_PORT', '80.5'],
    ['PENSTOCK_PORT', 'http'],
    ['PENSTOCK_BASE_URL', 'ftp://x'],
    ['PENSTOCK_BASE_URL', 'localhost:8080'],
    ['PENSTOCK_TRUSTED_PROXIES', 'proxy.example'],
    ['PENSTOCK_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PENSTOCK_METRICS_FROM', 'prometheus'],
    ['PENSTOCK_TRUSTED_PROXIES', '::1/129'],
    ['PENSTOCK_TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['PENSTOCK_BODY_LIMIT_BYTES', '1'],
    ['DATABASE_URL', 'mysql://u:s3cr3t@h/d'],
    ['DATABASE_URL', 's3cr3t'],
    ['DATABASE_URL', 'postgres://u:s3cr3t/with#signs@h/d'],
    ['DATABASE_URL', 'postgres://u:s3cr3t@h:port/d'],
    ['PENSTOCK_SIGNATURE_WINDOW_S', '0'],
    ['PENSTOCK_KEY_ONLY_PER_SECOND', '0'],
    ['PENSTOCK_STORE_PORT', '70000'],
    ['PENSTOCK_STORE_FSYNC', 'no'],
    ['PENSTOCK_POOL_SIZE', '3'],
    ['PENSTOCK_STORE_PREPARED', 'no'],
    ['PENSTOCK_ENCRYPTION_KEYS', 's3cr3t'],
    ['PENSTOCK_ENCRYPTION_KEYS', 'a:s3cr3t'],
    ['PENSTOCK_ENCRYPTION_KEYS', `:${KEY}`],
    ['PENSTOCK_ENCRYPTION_KEYS', `s3cr3t=:${KEY}`],
    ['PENSTOCK_ENCRYPTION_KEYS', `a:${KEY},a:${OTHER_KEY}`],
    ['PENSTOCK_IDENTITY_KEY', 's3cr3t'],
    ['PENSTOCK_LOG_LEVEL', 'loud'],
    ['PENSTOCK_WORKERS', '65'],
    ['PENSTOCK_WORKSPACE_RUNS', '0'],
    ['PENSTOCK_CONNECTION_RUNS', '0'],
    ['PENSTOCK_CHUNK_ROWS', '0'],
    ['PENSTOCK_TRIALS_PER_MINUTE', '0'],
    ['PENSTOCK_RUN_ATTEMPTS', '0'],
    ['PENSTOCK_RUN_HOURS', '24'],
    ['PENSTOCK_WAREHOUSE_HOSTS', 'db.example.com,https://x.example'],
    ['PENSTOCK_WAREHOUSE_HOSTS', '*example.com'],
    ['PENSTOCK_WAREHOUSE_HOSTS', '10.0.0.0/99'],
    ['PENSTOCK_WAREHOUSE_TIMEOUT_S', '0'],
    ['PENSTOCK_SNOWFLAKE_ENDPOINT', 'localhost:64616'],
    ['PENSTOCK_SNOWFLAKE_ENDPOINT', 'http://localhost:64616/path'],
    ['PENSTOCK_SNOWFLAKE_ENDPOINT', 'http://user@localhost:64616'],
    ['PENSTOCK_BIGQUERY_ENDPOINT', 'file:///etc'],
    ['PENSTOCK_BIGQUERY_LOCATION', 'a/b'],
    ['PENSTOCK_BIGQUERY_MAX_BYTES_BILLED', '-1'],
    ['PENSTOCK_CLOUD_IDENTITY', 'everybody'],
    ['PENSTOCK_DATABRICKS_ENDPOINT', 'https://localhost:8443'],
    ['PENSTOCK_DATABRICKS_ENDPOINT', 'localhost'],
    ['PENSTOCK_DATABRICKS_ENDPOINT', 'localhost:65536'],
    ['PENSTOCK_DATABRICKS_ENDPOINT', '[localhost]:80'],
    ['PENSTOCK_AWS_ENDPOINT', 'localhost:5000'],
    ['PENSTOCK_OUTGOING_ALLOWED_HOSTS', 'https://hooks.inner'],
    ['PENSTOCK_OUTGOING_CA', '/no/such.pem'],
    ['PENSTOCK_DSR_CALLBACK_MINUTES', '61'],
    ['PENSTOCK_DSR_CALLBACK_MINUTES', '45'],
    ['PENSTOCK_DSR_CALLBACK_MINUTES', '0'],
    ['PENSTOCK_DSR_FILLER_CARRIERS', '0'],
    ['PENSTOCK_DSR_HOSTS', 'dsr.example.com:443'],
    ['PENSTOCK_DSR_DOMAIN', 'https://example.com'],
    ['PENSTOCK_DSR_DOMAIN_ALIASES', 'example.com,a b'],
    ['PENSTOCK_DSR_ACCESS_CRON', 'daily'],
    ['PENSTOCK_DUCKDB_MEMORY_MB', '1'],
    ['PENSTOCK_WAREHOUSE_MESSAGE_MB', '0'],
    ['PENSTOCK_LIMIT_CEILINGS', 'request_bytes=0'],
    ['PENSTOCK_LIMIT_CEILINGS', 'request_bytes'],
    ['PENSTOCK_DUCKDB', 'no'],
    ['PENSTOCK_DUCKDB_SPILL_MB', '-1'],
    ['PENSTOCK_DUCKDB_THREADS', '0'],
    ['HTTPS_PROXY', 'socks5://out:1080'],
    ['HTTP_PROXY', 'http://out/path'],
    ['NO_PROXY', 'http://a.example'],
  ];

  test.each(cases)('%s=%s is refused by name', (name, value) => {
    const error = thrownBy(() => readConfig({ [name]: value }));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', issues: [{ path: name }] });
    expect((error as Error).message).toMatch(new RegExp(`^${name}: `));
  });

  test.each([
    ['PENSTOCK_TLS_CERTIFICATE', 'PENSTOCK_TLS_KEY'],
    ['PENSTOCK_TLS_KEY', 'PENSTOCK_TLS_CERTIFICATE'],
    ['PENSTOCK_DSR_CERTIFICATE', 'PENSTOCK_DSR_KEY'],
    ['PENSTOCK_DSR_KEY', 'PENSTOCK_DSR_CERTIFICATE'],
    ['PENSTOCK_BIGQUERY_STORAGE_ENDPOINT', 'PENSTOCK_BIGQUERY_ENDPOINT', 'localhost:9060'],
    ['PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT', 'PENSTOCK_BIGQUERY_ENDPOINT', 'http://localhost:9070'],
    ['PENSTOCK_DATABRICKS_CA', 'PENSTOCK_DATABRICKS_ENDPOINT', PEM_FILE],
  ])('%s alone is refused: %s is missing', (given, missing, value = '/a.pem') => {
    expect(thrownBy(() => readConfig({ [given]: value }))).toMatchObject({ issues: [{ path: missing }] });
  });

  test.each([
    [
      'PENSTOCK_BIGQUERY_STORAGE_ENDPOINT',
      'http://localhost:9060',
      { PENSTOCK_BIGQUERY_ENDPOINT: 'http://localhost:9050' },
    ],
    ['PENSTOCK_DATABRICKS_CA', '/no/such.pem', { PENSTOCK_DATABRICKS_ENDPOINT: 'localhost:8443' }],
    ['PENSTOCK_DATABRICKS_CA', 'package.json', { PENSTOCK_DATABRICKS_ENDPOINT: 'localhost:8443' }],
  ])('%s=%s is refused by name beside its endpoint', (name, value, beside) => {
    expect(thrownBy(() => readConfig({ ...beside, [name]: value }))).toMatchObject({ issues: [{ path: name }] });
  });

  test('every variable with limits has such a case', () => {
    const files = ['TLS_CERTIFICATE', 'TLS_KEY', 'DSR_CERTIFICATE', 'DSR_KEY', 'DATABRICKS_CA'];
    const free = ['HOME', 'HOST', ...files, 'BIGQUERY_STORAGE_ENDPOINT', 'BIGQUERY_SIGN_IN_ENDPOINT'].map(
      (name) => `PENSTOCK_${name}`,
    );
    expect(new Set([...free, ...cases.map(([name]) => name)])).toEqual(new Set(Object.keys(SETTINGS)));
  });

  test('all wrong variables are named at once', () => {
    expect(() => readConfig({ PENSTOCK_PORT: 'x', PENSTOCK_WORKERS: 'y' })).toThrow(/^[^\n]+\n[^\n]+$/);
  });

  test('of a secret is not printed', () => {
    for (const [name, value] of cases.filter(([, wrong]) => wrong.includes('s3cr3t')))
      expect(inspect(thrownBy(() => readConfig({ [name]: value })))).not.toContain('s3cr3t');
  });
});

test('secrets of the configuration are not printed', () => {
  const config = readConfig({
    DATABASE_URL: 'postgres://u:s3cr3t@h/d',
    PENSTOCK_ENCRYPTION_KEYS: `a:${KEY}`,
    PENSTOCK_IDENTITY_KEY: OTHER_KEY,
  });
  const printed = inspect(config, { depth: 9 }) + JSON.stringify(config);
  for (const secret of ['s3cr3t', KEY, OTHER_KEY]) expect(printed).not.toContain(secret);
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
