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
      'Addresses or networks, comma separated, whose X-Forwarded-* headers are trusted. Behind any other proxy all clients count as one address and share its limits.',
  },
  PENSTOCK_METRICS_FROM: {
    default: '127.0.0.0/8,::1',
    meaning: 'Addresses or networks, comma separated, that may read /metrics.',
  },
  PENSTOCK_BODY_LIMIT_BYTES: { default: '1048576', meaning: 'Largest request body of the platform API, decompressed.' },
  PENSTOCK_LIMIT_CEILINGS: {
    default: 'batch_bytes=1048576,request_bytes=4194304',
    meaning:
      'The most that admins of workspaces may set for the limits of their workspace, `name=number`, comma separated, with the names of `limits` in the settings; the defaults hold for those it does not name. A value that is stored above its ceiling, or has a higher default, counts as the ceiling. The ceiling of `request_bytes` holds for `batch_bytes`, too.',
  },
  PENSTOCK_DSR_HOSTS: {
    default: '',
    meaning:
      'Host names, comma separated, at which /v3, /v2 and /v1 are those of the data subject request API, besides /dsr/v3, /dsr/v2 and /dsr/v1.',
  },
  PENSTOCK_DSR_DOMAIN: {
    default: '',
    meaning:
      'Domain of this processor of data subject requests: answers and callbacks name `opendsr.` before it, and so do extensions in requests; without it the host of PENSTOCK_BASE_URL.',
  },
  PENSTOCK_DSR_DOMAIN_ALIASES: {
    default: '',
    meaning:
      'Further domains, comma separated, whose extensions in data subject requests are taken as ours: what clients of another service write.',
  },
  PENSTOCK_DSR_CERTIFICATE: {
    default: '',
    meaning:
      'PEM file of the RSA certificate that receivers of data subject requests’ callbacks check, with its chain, for `opendsr.` and `opengdpr.` before the domain. Without it a self-signed one is made, which few receivers should trust.',
  },
  PENSTOCK_DSR_KEY: { default: '', meaning: 'PEM file of that certificate’s key.' },
  PENSTOCK_DSR_CALLBACK_MINUTES: {
    default: '15',
    meaning: 'Minutes between two passes of the callback queue: a number that divides 60.',
  },
  PENSTOCK_DSR_ACCESS_CRON: {
    default: '* * * * *',
    meaning:
      'Cron of five fields in UTC at which access and portability requests begin; by default at the next minute. Erasures begin after their waiting period.',
  },
  PENSTOCK_DSR_FILLER_CARRIERS: {
    default: '1000',
    meaning:
      'An identity of ordinary words or fewer than 8 characters, such as `other` = `unknown`, that more profiles or batches of other people than this carry says nothing of a person: an erasure leaves no tombstone of it. 1 to 1000000; login identities always get one.',
  },
  PENSTOCK_SIGNATURE_WINDOW_S: {
    default: '300',
    meaning: 'Seconds that the Date header of a signed request may be from now.',
  },
  PENSTOCK_KEY_ONLY_PER_SECOND: {
    default: '50',
    meaning: 'Requests with a public key alone that one address may send in a second, to each daemon.',
  },
  DATABASE_URL: {
    default: '',
    meaning: 'A PostgreSQL (14 or newer) to use as store instead of the embedded one; its user owns the database.',
    secret: true,
  },
  PENSTOCK_STORE_PORT: {
    default: '0',
    meaning: 'Port of the embedded store; 0 takes a free one at the first start and keeps it.',
  },
  PENSTOCK_STORE_FSYNC: {
    default: 'on',
    meaning: '`off` makes the embedded store faster, but a crash of the machine may corrupt it: for trials and tests.',
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
  PENSTOCK_WORKERS: {
    default: '3',
    meaning:
      'Runs this daemon works on at the same time; 0 serves the API and sends callbacks only. From 2 on, the last free worker is left to workspaces that have no run under way.',
  },
  PENSTOCK_WORKSPACE_RUNS: {
    default: '2',
    meaning:
      'Most runs of one workspace at the same time, over all daemons; of each daemon it takes all workers but one at most.',
  },
  PENSTOCK_CONNECTION_RUNS: {
    default: '4',
    meaning: 'Most runs over one connection at the same time, over all daemons.',
  },
  PENSTOCK_CHUNK_ROWS: { default: '10000', meaning: 'Rows that are delivered in one transaction.' },
  PENSTOCK_WAREHOUSE_HOSTS: {
    default: '',
    meaning:
      'Hosts that connections may lead to, comma separated: names, `*.example.com` for all below, addresses or networks; empty: any but link-local addresses and the metadata services of clouds, which have to be listed. The store’s own address is always refused.',
  },
  PENSTOCK_WAREHOUSE_TIMEOUT_S: {
    default: '3600',
    meaning: 'Seconds that a warehouse may work on a statement, or on the next rows of one, before it is cancelled.',
  },
  PENSTOCK_WAREHOUSE_MESSAGE_MB: {
    default: '64',
    meaning:
      'Longest message that a PostgreSQL or Redshift server may send, which bounds a row, in MiB: a longer one ends the connection.',
  },
  PENSTOCK_OUTGOING_ALLOWED_HOSTS: {
    default: '',
    meaning:
      'Hosts of callbacks and partners that may be called although they are private, comma separated: names, `*.example.com` for all below, addresses or networks.',
  },
  PENSTOCK_OUTGOING_CA: {
    default: '',
    meaning: 'PEM file of certificates that sign those of callbacks’ and partners’ hosts, beside the system’s.',
  },
  PENSTOCK_SNOWFLAKE_ENDPOINT: {
    default: '',
    meaning:
      'Server that stands in for every Snowflake account, `http://host:port`: for tests. Connections cannot name one.',
  },
  PENSTOCK_BIGQUERY_ENDPOINT: {
    default: '',
    meaning: 'Server that stands in for BigQuery, `http://host:port`, without a sign-in at Google: for tests.',
  },
  PENSTOCK_BIGQUERY_STORAGE_ENDPOINT: {
    default: '',
    meaning: 'Its Storage Read API, `host:port`, gRPC without TLS: for tests. Without it large results come as pages.',
  },
  PENSTOCK_DATABRICKS_ENDPOINT: {
    default: '',
    meaning: 'Server that stands in for every Databricks workspace, `host:port`, which speaks TLS: for tests.',
  },
  PENSTOCK_DATABRICKS_CA: { default: '', meaning: 'PEM file of the certificates that sign that server’s.' },
  PENSTOCK_DUCKDB: {
    default: 'on',
    meaning:
      '`off` opens no DuckDB warehouse any more: its connections and pipelines stay, and are faulted; once it is on again, PUT a connection to lift its fault. Models of tenants who are not trusted with the memory of the daemon should not run on it.',
  },
  PENSTOCK_DUCKDB_MEMORY_MB: {
    default: '320',
    meaning:
      'Memory limit of each open DuckDB warehouse, in MiB: of what it buffers, not of a value that a function builds. Each CSV file that a model reads takes 64 of them.',
  },
  PENSTOCK_DUCKDB_SPILL_MB: {
    default: '',
    meaning:
      'Most that each open DuckDB warehouse may spill to disk, in MiB; by default four times PENSTOCK_DUCKDB_MEMORY_MB. A statement that needs more fails.',
  },
  PENSTOCK_DUCKDB_THREADS: { default: '1', meaning: 'Threads of each open DuckDB warehouse.' },
  PENSTOCK_RUN_HOURS: {
    default: '20',
    meaning:
      'Hours after which a running run is requeued. It resumes at its position; a run that writes MPIDs back begins with its first row again.',
  },
  PENSTOCK_RUN_ATTEMPTS: {
    default: '5',
    meaning:
      'Attempts of a run before it counts as failed. Lost workers are counted apart, up to the same number; from the second on, a daemon works on one such run at a time.',
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
