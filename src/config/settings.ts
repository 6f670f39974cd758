// Every variable with its default and meaning. The tables of docs/settings.md are generated from this file.

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
  PENSTOCK_PORT: { default: '8080', meaning: 'Port the API listens on; 0 picks a free port.' },
  PENSTOCK_BASE_URL: {
    default: '',
    meaning: 'Public URL of the API, which is also the audience of its tokens. When unset, http://host:port.',
  },
  PENSTOCK_TLS_CERTIFICATE: {
    default: '',
    meaning:
      'PEM file with the certificate of the API and its chain. When set, the API accepts HTTPS only. A replaced file is loaded within seconds.',
  },
  PENSTOCK_TLS_KEY: { default: '', meaning: 'PEM file with the private key of PENSTOCK_TLS_CERTIFICATE.' },
  PENSTOCK_TRUSTED_PROXIES: {
    default: '',
    meaning:
      'Comma-separated addresses or networks of proxies whose X-Forwarded-* headers are trusted. Clients behind any other proxy share the rate limits of its address.',
  },
  PENSTOCK_METRICS_FROM: {
    default: '127.0.0.0/8,::1',
    meaning: 'Comma-separated addresses or networks that may read /metrics.',
  },
  PENSTOCK_BODY_LIMIT_BYTES: {
    default: '1048576',
    meaning: 'Largest request body of the platform API in bytes, after decompression.',
  },
  PENSTOCK_LIMIT_CEILINGS: {
    default: 'batch_bytes=1048576,request_bytes=4194304',
    meaning:
      'Upper bounds for the `limits` that admins set in the settings of their workspace, as comma-separated `name=number` pairs. A limit that is left out keeps its default ceiling. A stored value or default above its ceiling counts as the ceiling. The ceiling of `request_bytes` also applies to `batch_bytes`.',
  },
  PENSTOCK_DSR_HOSTS: {
    default: '',
    meaning:
      'Comma-separated host names that serve the data subject request API at /v3, /v2 and /v1, in addition to /dsr/v3, /dsr/v2 and /dsr/v1.',
  },
  PENSTOCK_DSR_DOMAIN: {
    default: '',
    meaning:
      'Domain of this processor of data subject requests. Answers, callbacks and extensions use it with the prefix `opendsr.`. When unset, the host of PENSTOCK_BASE_URL.',
  },
  PENSTOCK_DSR_DOMAIN_ALIASES: {
    default: '',
    meaning:
      'Comma-separated domains whose extensions in data subject requests are accepted like those of PENSTOCK_DSR_DOMAIN, for clients that were written for another service.',
  },
  PENSTOCK_DSR_CERTIFICATE: {
    default: '',
    meaning:
      'PEM file with the RSA certificate that signs answers and callbacks of data subject requests, and its chain. Have it issued for the domain with the prefixes `opendsr.` and `opengdpr.`. When unset, a self-signed certificate is created, which few receivers should trust.',
  },
  PENSTOCK_DSR_KEY: { default: '', meaning: 'PEM file with the private key of PENSTOCK_DSR_CERTIFICATE.' },
  PENSTOCK_DSR_CALLBACK_MINUTES: {
    default: '15',
    meaning: 'Minutes between deliveries of queued callbacks; a divisor of 60.',
  },
  PENSTOCK_DSR_ACCESS_CRON: {
    default: '* * * * *',
    meaning:
      'Cron of five fields, in UTC, at which access and portability requests begin; by default every minute. Erasures begin after their waiting period, independent of this cron.',
  },
  PENSTOCK_DSR_FILLER_CARRIERS: {
    default: '1000',
    meaning:
      'Number of profiles or batches of other people above which an identity counts as a filler, a placeholder such as `other` = `unknown`; 1 to 1000000. Only ordinary words and values of fewer than 8 characters can be fillers, and login identities never are. An erasure leaves no tombstone of a filler.',
  },
  PENSTOCK_SIGNATURE_WINDOW_S: {
    default: '300',
    meaning: 'Largest difference, in seconds, between the Date header of a signed request and the clock of the daemon.',
  },
  PENSTOCK_KEY_ONLY_PER_SECOND: {
    default: '50',
    meaning: 'Requests per second that one address may send to each daemon with a public key alone.',
  },
  DATABASE_URL: {
    default: '',
    meaning:
      'URL of a PostgreSQL (14 or newer) that is the store instead of the embedded one. Its user must own the database.',
    secret: true,
  },
  PENSTOCK_STORE_PORT: {
    default: '0',
    meaning: 'Port of the embedded store; 0 picks a free port at the first start and keeps it.',
  },
  PENSTOCK_STORE_FSYNC: {
    default: 'on',
    meaning:
      '`off` speeds up the embedded store, but a crash of the machine can corrupt it. For trials and tests only.',
  },
  PENSTOCK_STORE_PREPARED: {
    default: 'on',
    meaning:
      '`off` where DATABASE_URL names a pooler that shares connections between transactions and keeps no prepared statements, such as PgBouncer before 1.21 or with `max_prepared_statements = 0`.',
  },
  PENSTOCK_POOL_SIZE: { default: '10', meaning: 'Maximum number of connections from this daemon to its store.' },
  PENSTOCK_ENCRYPTION_KEYS: {
    default: '',
    meaning: 'Keys that encrypt stored secrets: comma-separated `id:base64` pairs of 32 bytes each, the newest first.',
    secret: true,
  },
  PENSTOCK_IDENTITY_KEY: {
    default: '',
    meaning: 'Key of the identity hashes: 32 bytes in base64. It can never be changed.',
    secret: true,
  },
  PENSTOCK_LOG_LEVEL: { default: 'info', meaning: 'Log level: trace, debug, info, warn, error, fatal or silent.' },
  PENSTOCK_WORKERS: {
    default: '3',
    meaning:
      'Maximum number of runs that this daemon works on at the same time. With 0, it serves the API and sends callbacks only. The last free worker is reserved for workspaces without a run in progress, so set 2 or more to let a long run of one workspace delay no other.',
  },
  PENSTOCK_WORKSPACE_RUNS: {
    default: '2',
    meaning:
      'Maximum number of runs of one workspace at the same time, across all daemons. On each daemon, a workspace uses at most all workers but one; the only worker of a daemon takes no second run of a workspace.',
  },
  PENSTOCK_CONNECTION_RUNS: {
    default: '4',
    meaning: 'Maximum number of runs over one connection at the same time, across all daemons.',
  },
  PENSTOCK_CHUNK_ROWS: { default: '10000', meaning: 'Number of rows delivered in one transaction.' },
  PENSTOCK_WAREHOUSE_HOSTS: {
    default: '',
    meaning:
      'Comma-separated hosts that connections may use: names, `*.example.com` for all subdomains, addresses or networks. When empty, any host except link-local and cloud metadata addresses, which must be listed. The store’s own address is always refused.',
  },
  PENSTOCK_WAREHOUSE_TIMEOUT_S: {
    default: '3600',
    meaning:
      'Seconds that a warehouse may take for a statement, or for the next rows of one, before the statement is cancelled.',
  },
  PENSTOCK_WAREHOUSE_MESSAGE_MB: {
    default: '64',
    meaning:
      'Largest message, in MiB, that a PostgreSQL or Redshift server may send. It limits the size of a row, also of DuckDB. A larger message closes the connection. An answer of Snowflake or Databricks, with a part of a result, may be four times as long.',
  },
  PENSTOCK_TRIALS_PER_MINUTE: {
    default: '120',
    meaning:
      'Previews, dry runs, validations of models and connection tests that one workspace may start per minute on each daemon. A workspace has at most 4 of them in progress, a daemon 12; up to 16 more of a workspace wait for at most 15 seconds.',
  },
  HTTPS_PROXY: {
    default: '',
    meaning:
      'HTTP proxy on the way to warehouses over HTTPS, sign-in, callbacks and partners, `http://[user:password@]host:port`; it opens tunnels with CONNECT and looks names up. Connections with a `proxy` of their own use that one.',
    secret: true,
  },
  HTTP_PROXY: {
    default: '',
    meaning: 'The same for `http://` addresses, which only test servers have.',
    secret: true,
  },
  NO_PROXY: {
    default: '',
    meaning:
      'Comma-separated hosts that are reached without a proxy: names with all below them, `.` and a domain for all below, addresses, networks, each with a port or without, or `*`. This machine always is.',
  },
  PENSTOCK_OUTGOING_ALLOWED_HOSTS: {
    default: '',
    meaning:
      'Comma-separated private hosts that callbacks and partners may use: names, `*.example.com` for all subdomains, addresses or networks.',
  },
  PENSTOCK_OUTGOING_CA: {
    default: '',
    meaning:
      'PEM file with certificate authorities to trust for callbacks and partners, in addition to those of the system.',
  },
  PENSTOCK_CLOUD_IDENTITY: {
    default: '',
    meaning:
      'Workspaces whose connections may sign in with the cloud identity of this daemon (Google’s application default credentials, the default credentials of AWS, the workload identity of Azure): comma-separated workspace ids, or `all`. Every one of them can read what that identity can read. When empty, none.',
  },
  PENSTOCK_BIGQUERY_MAX_BYTES_BILLED: {
    default: '1099511627776',
    meaning:
      'Default of `maximum_bytes_billed` for BigQuery connections, in bytes; 1 TiB. BigQuery refuses a statement that would bill more. 0 sets no limit.',
  },
  PENSTOCK_BIGQUERY_LOCATION: {
    default: '',
    meaning:
      'Location of jobs, such as `EU`, for BigQuery connections without `region` whose account may not read the location of their dataset. When unset, BigQuery derives it from each statement.',
  },
  PENSTOCK_SNOWFLAKE_ENDPOINT: {
    default: '',
    meaning: 'Test server that replaces every Snowflake account, `http://host:port`. Connections cannot set it.',
  },
  PENSTOCK_BIGQUERY_ENDPOINT: {
    default: '',
    meaning: 'Test server that replaces BigQuery, `http://host:port`, without a sign-in at Google.',
  },
  PENSTOCK_BIGQUERY_STORAGE_ENDPOINT: {
    default: '',
    meaning:
      'Storage Read API of that test server, `host:port`, gRPC without TLS. When unset, large results are read page by page.',
  },
  PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT: {
    default: '',
    meaning:
      'Test server that replaces Google’s token exchange and IAM Credentials API beside it, `http://host:port`. When unset, a connection to that test server signs in with a fixed token.',
  },
  PENSTOCK_DATABRICKS_ENDPOINT: {
    default: '',
    meaning: 'Test server that replaces every Databricks workspace, `host:port`, with TLS.',
  },
  PENSTOCK_DATABRICKS_CA: { default: '', meaning: 'PEM file with the certificate authorities of that test server.' },
  PENSTOCK_AWS_ENDPOINT: {
    default: '',
    meaning: 'Test server that replaces the APIs of AWS, `http://host:port`. Connections cannot set it.',
  },
  PENSTOCK_DUCKDB: {
    default: 'on',
    meaning:
      '`off` disables DuckDB warehouses: their connections and pipelines are kept, but faulted. After switching it on again, PUT a connection to clear its fault.',
  },
  PENSTOCK_DUCKDB_MEMORY_MB: {
    default: '320',
    meaning:
      'Memory of the buffers of each open DuckDB warehouse, in MiB. Its process may take twice as much and 256 MiB; a statement that needs more fails. Each CSV file that a model reads takes 64 MiB.',
  },
  PENSTOCK_DUCKDB_SPILL_MB: {
    default: '',
    meaning:
      'Disk space, in MiB, that each open DuckDB warehouse may use for data beyond its memory limit; by default four times PENSTOCK_DUCKDB_MEMORY_MB. A statement that needs more fails.',
  },
  PENSTOCK_DUCKDB_THREADS: { default: '1', meaning: 'Number of threads of each open DuckDB warehouse.' },
  PENSTOCK_RUN_HOURS: {
    default: '20',
    meaning:
      'Hours after which a running run is requeued. It resumes at its position; a run that writes MPIDs back starts again with its first row.',
  },
  PENSTOCK_RUN_ATTEMPTS: {
    default: '5',
    meaning:
      'Number of attempts of a run before it fails. Losses of its worker are counted separately, with the same limit. From the second loss on, a daemon works on one such run at a time.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
