// Functions that do something although they stand in a SELECT, and that neither a READ ONLY transaction nor a missing grant
// of the connection's user reliably stops. The names are those of one product each, so one list serves all grammars.
import type { Refusal } from './find-refused.ts';
import type { Token } from './parser.ts';

/** PostgreSQL and Redshift, by how the names begin. */
const POSTGRES_FAMILIES = [
  // large objects are made in READ ONLY transactions, too
  ...['lo_', 'lowrite', 'loread'],
  // sessions of their own, to any server, which write
  'dblink',
  // files and processes of the server
  ...['pg_read_', 'pg_ls_', 'pg_stat_file', 'pg_file_', 'pg_terminate_', 'pg_cancel_', 'pg_reload_', 'pg_rotate_'],
  ...['pg_switch_', 'pg_promote', 'pg_wal_replay_', 'pg_backup_', 'pg_start_backup', 'pg_stop_backup', 'pg_log_'],
  ...[
    'pg_create_',
    'pg_drop_',
    'pg_copy_',
    'pg_logical_',
    'pg_replication_',
    'pg_sync_',
    'pg_stat_reset',
    'pg_import_',
  ],
  // what other sessions see, or wait for
  ...['pg_advisory_', 'pg_try_advisory_', 'pg_notify', 'pg_export_snapshot', 'set_config', 'setseed'],
  // SQL in a text, which nobody has looked at
  ...['query_to_xml', 'cursor_to_xml', 'table_to_xml', 'schema_to_xml', 'database_to_xml', 'ts_stat', 'crosstab'],
] as const;

const OTHERS = new Set([
  // move a sequence on
  ...['nextval', 'setval', 'getnextval'],
  // Java methods of Databricks, which run whatever the cluster has
  ...['reflect', 'try_reflect', 'java_method'],
  // send a statement to another database, which nobody has looked at: BigQuery, Databricks
  ...['external_query', 'remote_query'],
  // send values to an endpoint that the model names: Databricks; extensions of PostgreSQL, also those of AWS
  ...['http_request', 'ai_query'],
  ...['http_get', 'http_post', 'http_put', 'http_patch', 'http_delete', 'http_head', 'invoke', 'query_export_to_s3'],
]);

/** Snowflake's SYSTEM$ functions cancel, resume and change; these only tell. */
const SYSTEM_PREFIX = 'system$';
const HARMLESS_SYSTEM = new Set(['system$typeof', 'system$last_change_commit_time', 'system$clustering_information']);

/** Whether a call of the function does more than compute a value. */
function hasEffects(name: string): boolean {
  const own = name.toLowerCase();
  if (own.startsWith(SYSTEM_PREFIX)) return !HARMLESS_SYSTEM.has(own);
  return OTHERS.has(own) || POSTGRES_FAMILIES.some((family) => own.startsWith(family));
}

/**
 * The first call of such a function, by the words of the text: the tree hides qualified and quoted calls. A name that is
 * written with escapes (`U&"…"`) could be any of them.
 */
export function findEffect(tokens: readonly Token[], grammar: string): Refusal | undefined {
  for (const [index, { type, text, start }] of tokens.entries()) {
    if (grammar === 'snowflake' && isNextOfSequence(tokens, index)) return { construct: 'NEXTVAL', offset: start };
    if (type === 'STRING' || tokens[index + 1]?.type !== 'L_PAREN') continue;
    if (hasEffects(text)) return { construct: text.toUpperCase(), offset: start };
    const isEscaped = type === 'QUOTED_IDENTIFIER' && text.includes('\\') && tokens[index - 1]?.type === 'AMP';
    if (isEscaped) return { construct: 'A function whose name is written with escapes', offset: start };
  }
  return undefined;
}

/** Snowflake moves a sequence on where its name has this column: `seq.NEXTVAL`. */
function isNextOfSequence(tokens: readonly Token[], index: number): boolean {
  const { type, text } = tokens[index] as Token;
  return type !== 'STRING' && text.toLowerCase() === 'nextval' && tokens[index - 1]?.type === 'DOT';
}

/**
 * Where a plain string has a backslash before a quote, for the grammars of PostgreSQL and Redshift, which one connection may
 * both be: to PostgreSQL the string ends there, to Redshift it goes on.
 */
export function findTwoReadings(sql: string, tokens: readonly Token[], grammar: string): number | undefined {
  if (grammar !== 'postgresql' && grammar !== 'redshift') return undefined;
  return tokens.find(({ type, start, end }) => type === 'STRING' && /^'.*\\'/s.test(sql.slice(start, end)))?.start;
}
