// Groups of the settings on docs/settings.md. A setting that no group names stops `npm run readme` and its test.
import { SETTINGS } from '../src/config.ts';

type SettingName = keyof typeof SETTINGS;

/** Names of settings by the marker of their table, in the order in which the table shows them. */
const GROUPS: Readonly<Record<string, readonly SettingName[]>> = {
  'settings-daily': [
    'PENSTOCK_HOME',
    'PENSTOCK_HOST',
    'PENSTOCK_PORT',
    'PENSTOCK_BASE_URL',
    'PENSTOCK_LOG_LEVEL',
    'PENSTOCK_METRICS_FROM',
  ],
  'settings-store': [
    'DATABASE_URL',
    'PENSTOCK_POOL_SIZE',
    'PENSTOCK_STORE_PREPARED',
    'PENSTOCK_STORE_PORT',
    'PENSTOCK_STORE_FSYNC',
    'PENSTOCK_ENCRYPTION_KEYS',
    'PENSTOCK_IDENTITY_KEY',
  ],
  'settings-network': [
    'PENSTOCK_TLS_CERTIFICATE',
    'PENSTOCK_TLS_KEY',
    'PENSTOCK_TRUSTED_PROXIES',
    'PENSTOCK_BODY_LIMIT_BYTES',
    'PENSTOCK_LIMIT_CEILINGS',
    'PENSTOCK_SIGNATURE_WINDOW_S',
    'PENSTOCK_KEY_ONLY_PER_SECOND',
    'PENSTOCK_OUTGOING_ALLOWED_HOSTS',
    'PENSTOCK_OUTGOING_CA',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'NO_PROXY',
  ],
  'settings-runs': [
    'PENSTOCK_WORKERS',
    'PENSTOCK_WORKSPACE_RUNS',
    'PENSTOCK_CONNECTION_RUNS',
    'PENSTOCK_CHUNK_ROWS',
    'PENSTOCK_RUN_HOURS',
    'PENSTOCK_RUN_ATTEMPTS',
  ],
  'settings-warehouses': [
    'PENSTOCK_WAREHOUSE_HOSTS',
    'PENSTOCK_WAREHOUSE_TIMEOUT_S',
    'PENSTOCK_WAREHOUSE_MESSAGE_MB',
    'PENSTOCK_TRIALS_PER_MINUTE',
    'PENSTOCK_CLOUD_IDENTITY',
    'PENSTOCK_BIGQUERY_MAX_BYTES_BILLED',
    'PENSTOCK_BIGQUERY_LOCATION',
    'PENSTOCK_DUCKDB',
    'PENSTOCK_DUCKDB_MEMORY_MB',
    'PENSTOCK_DUCKDB_SPILL_MB',
    'PENSTOCK_DUCKDB_THREADS',
  ],
  'settings-privacy': [
    'PENSTOCK_DSR_DOMAIN',
    'PENSTOCK_DSR_DOMAIN_ALIASES',
    'PENSTOCK_DSR_HOSTS',
    'PENSTOCK_DSR_CERTIFICATE',
    'PENSTOCK_DSR_KEY',
    'PENSTOCK_DSR_CALLBACK_MINUTES',
    'PENSTOCK_DSR_ACCESS_CRON',
    'PENSTOCK_DSR_FILLER_CARRIERS',
  ],
  'settings-tests': [
    'PENSTOCK_SNOWFLAKE_ENDPOINT',
    'PENSTOCK_BIGQUERY_ENDPOINT',
    'PENSTOCK_BIGQUERY_STORAGE_ENDPOINT',
    'PENSTOCK_BIGQUERY_SIGN_IN_ENDPOINT',
    'PENSTOCK_DATABRICKS_ENDPOINT',
    'PENSTOCK_DATABRICKS_CA',
    'PENSTOCK_AWS_ENDPOINT',
  ],
};

/** Returns the groups with their settings. Throws when a setting is in no group. */
export function settingGroups(): readonly (readonly [string, readonly SettingName[]])[] {
  const groups = Object.entries(GROUPS);
  const grouped = new Set(groups.flatMap(([, names]) => names));
  const missing = (Object.keys(SETTINGS) as SettingName[]).filter((name) => !grouped.has(name));
  if (missing.length > 0) throw new Error(`Name ${missing.join(', ')} in a group of tools/setting-groups.ts.`);
  return groups;
}
