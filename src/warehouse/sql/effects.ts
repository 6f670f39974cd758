// Functions with side effects inside a SELECT, which neither a READ ONLY transaction nor a missing grant of the connection's
// user reliably stops. Each name belongs to one product, so PostgreSQL's are refused for its grammars only.
import { itemAt } from '../../kernel/index.ts';
import type { Refusal } from './find-refused.ts';
import { closeOf } from './parentheses.ts';
import type { Token } from './parser.ts';

/** Functions of PostgreSQL and Redshift, by the whole name. */
const POSTGRES_NAMES = new Set([
  // large objects can be created in READ ONLY transactions, too
  'lo_create',
  'lo_creat',
  'lo_from_bytea',
  'lo_import',
  'lo_export',
  'lo_put',
  'lo_get',
  'lo_open',
  'lo_close',
  'lo_unlink',
  'lo_truncate',
  'lo_truncate64',
  'lo_lseek',
  'lo_lseek64',
  'lo_tell',
  'lo_tell64',
  'lo_manage',
  'lowrite',
  'loread',
  // SQL in a text that the gate has not checked

  'ts_stat',
  'ts_rewrite',
  'crosstab',
  'crosstab2',
  'crosstab3',
  'crosstab4',
  'crosstabn',
  'connectby',
  'xpath_table',
  // indexes, caches and statistics of the server
  'gin_clean_pending_list',
  'pg_prewarm',
  'autoprewarm_start_worker',
  'autoprewarm_dump_now',
  'pg_truncate_visibility_map',
  'pg_stat_statements_reset',
  'pg_terminate_session',
  'postgres_fdw_disconnect',
  'postgres_fdw_disconnect_all',
  // send values or jobs elsewhere: extensions http, aws_s3 and pg_cron
  'http',
  'table_import_from_s3',
  'schedule_in_database',
  'alter_job',
]);

/** Functions of PostgreSQL and Redshift, by the beginnings of their names. */
const POSTGRES_FAMILIES = [
  // own sessions that write, to any server or to those of a cluster
  'dblink',
  'run_command_on_',
  // files and processes of the server
  'pg_read_',
  'pg_ls_',
  'pg_stat_file',
  'pg_file_',
  'pg_terminate_',
  'pg_cancel_',
  'pg_reload_',
  'pg_rotate_',
  'pg_switch_',
  'pg_promote',
  'pg_wal_replay_',
  'pg_backup_',
  'pg_start_backup',
  'pg_stop_backup',
  'pg_log_',

  'pg_create_',
  'pg_drop_',
  'pg_copy_',
  'pg_logfile_rotate',
  'pg_logdir_ls',
  'pg_clear_',
  'pg_restore_',
  'pg_background_',
  'pg_buffercache_evict',
  'brin_summarize_',
  'brin_desummarize_',
  'pg_logical_',
  'pg_replication_',
  'pg_sync_',
  'pg_stat_reset',
  'pg_import_',
  // changes that other sessions see, or waits for them
  'pg_advisory_',
  'pg_sleep',
  'pg_try_advisory_',
  'pg_notify',
  'pg_export_snapshot',
  'set_config',
  'setseed',
  // SQL in a text that the gate has not checked
  'query_to_xml',
  'cursor_to_xml',
  'table_to_xml',
  'schema_to_xml',
  'database_to_xml',
] as const;

const OTHERS = new Set([
  // advance a sequence
  'nextval',
  'setval',
  'getnextval',
  // Java methods of Databricks, which run any code on the cluster
  'reflect',
  'try_reflect',
  'java_method',
  // send a statement that the gate has not checked to another database: BigQuery, Databricks
  'external_query',
  'remote_query',
  // send values to an endpoint that the model names: Databricks; extensions of PostgreSQL, also those of AWS
  'http_request',
  'ai_query',
  'http_get',
  'http_post',
  'http_put',
  'http_patch',
  'http_delete',
  'http_head',
  'invoke',
  'query_export_to_s3',
]);

/** Snowflake's SYSTEM$ functions cancel, resume and change things. The harmless ones only report. */
const SYSTEM_PREFIX = 'system$';
const HARMLESS_SYSTEM = new Set([
  'system$typeof',
  'system$last_change_commit_time',
  'system$clustering_information',
  'system$clustering_depth',
  'system$get_tag',
]);

/** Returns whether a call of the function does more than compute a value. */
function hasEffects(name: string, grammar: string): boolean {
  const own = name.toLowerCase();
  if (own.startsWith(SYSTEM_PREFIX)) return !HARMLESS_SYSTEM.has(own);
  if (OTHERS.has(own)) return true;
  const isPostgres = grammar === 'postgresql' || grammar === 'redshift';
  return isPostgres && (POSTGRES_NAMES.has(own) || POSTGRES_FAMILIES.some((family) => own.startsWith(family)));
}

/**
 * Returns the first token that does more than compute a value.
 * Reads tokens because the tree hides qualified and quoted calls, and there is no tree where the parser gives up.
 */
export function findEffect(tokens: readonly Token[], grammar: string): Refusal | undefined {
  for (const [index, { start }] of tokens.entries()) {
    const construct = effectAt(tokens, index, grammar);
    if (construct !== undefined) return { construct, offset: start };
  }
  return undefined;
}

function effectAt(tokens: readonly Token[], index: number, grammar: string): string | undefined {
  const [before, token, next] = [tokens[index - 1], itemAt(tokens, index), tokens[index + 1]];
  const word = token.text.toUpperCase();
  if (isEscapedName(tokens, index)) return 'A name that is written with escapes (U&"…")';
  if (grammar === 'snowflake' && word === 'NEXTVAL' && before?.type === 'DOT') return word;
  // Snowflake's pipe between statements
  if (grammar === 'snowflake' && token.type === 'D_ARROW') return word;
  // Databricks passes the rows to a program: TRANSFORM (…) USING 'program', MAP … USING, REDUCE … USING
  if (grammar === 'databricks' && word === 'USING' && next?.type.endsWith('STRING')) return 'USING with a program';
  if (next?.type !== 'L_PAREN') return undefined;
  if (word === 'IDENTIFIER' && closeOf(tokens, index + 1)[1]?.type === 'L_PAREN') return 'A call by IDENTIFIER(…)';
  return hasEffects(token.text, grammar) ? word : undefined;
}

/** Tells whether PostgreSQL's U&"…" begins at the token; such a name could be any name. */
function isEscapedName(tokens: readonly Token[], index: number): boolean {
  const [u, amp, name] = tokens.slice(index, index + 3);
  return (
    name?.type === 'QUOTED_IDENTIFIER' &&
    amp?.type === 'AMP' &&
    u?.text.toUpperCase() === 'U' &&
    name.start - u.end === amp.text.length
  );
}
