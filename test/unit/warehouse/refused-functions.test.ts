import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { GRAMMARS } from '../../../src/warehouse/sql/parser.ts';

const said = async (sql: string, grammar: string) => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : check.outcome;
};
const refusal = (name: string) =>
  `Line 1, column 15: ${name.toUpperCase()} is not allowed; a model is a single SELECT that only reads.`;

/** Names that PostgreSQL and Redshift alone know. */
const OF_POSTGRES = [
  ...['lo_create', 'lo_creat', 'lo_from_bytea', 'lo_import', 'lo_export', 'lo_put', 'lo_get', 'lo_open', 'lo_close'],
  ...['lo_unlink', 'lo_truncate', 'lo_truncate64', 'lo_lseek', 'lo_lseek64', 'lo_tell', 'lo_tell64', 'lo_manage'],
  ...['lowrite', 'loread', 'ts_stat', 'ts_rewrite', 'crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'crosstabN'],
  ...['connectby', 'xpath_table', 'dblink', 'dblink_exec', 'run_command_on_shards', 'pg_read_file', 'PG_LS_DIR'],
  ...['pg_stat_file', 'pg_file_write', 'pg_terminate_backend', 'pg_cancel_backend', 'pg_reload_conf'],
  ...['pg_rotate_logfile', 'pg_switch_wal', 'pg_promote', 'pg_wal_replay_pause', 'pg_backup_start', 'pg_start_backup'],
  ...['pg_stop_backup', 'pg_log_backend_memory_contexts', 'pg_create_restore_point', 'pg_drop_replication_slot'],
  ...['pg_copy_logical_replication_slot', 'pg_logical_emit_message', 'pg_replication_origin_create'],
  ...['pg_sync_replication_slots', 'pg_stat_reset', 'pg_import_system_collations', 'pg_advisory_lock'],
  ...['pg_try_advisory_lock', 'pg_notify', 'pg_export_snapshot', 'set_config', 'setseed', 'query_to_xml'],
  ...['pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_advisory_xact_lock_shared', 'pg_try_advisory_xact_lock'],
  ...[
    'pg_stat_statements_reset',
    'pg_stat_reset_shared',
    'pg_logfile_rotate',
    'pg_restore_relation_stats',
    'pg_prewarm',
  ],
  ...['pg_clear_attribute_stats', 'pg_background_launch', 'pg_buffercache_evict', 'brin_summarize_new_values', 'http'],
  ...['brin_desummarize_range', 'gin_clean_pending_list', 'table_import_from_s3', 'schedule_in_database', 'alter_job'],
  ...['pg_terminate_session', 'postgres_fdw_disconnect_all', 'pg_truncate_visibility_map', 'pg_read_binary_file'],
  ...['autoprewarm_dump_now', 'autoprewarm_start_worker', 'postgres_fdw_disconnect', 'pg_logdir_ls'],
  ...['cursor_to_xml', 'table_to_xml', 'schema_to_xmlschema', 'database_to_xml_and_xmlschema'],
];
const OF_ANY = [
  ...['nextval', 'setval', 'getnextval', 'reflect', 'try_reflect', 'java_method', 'external_query', 'remote_query'],
  ...[
    'http_request',
    'ai_query',
    'http_get',
    'http_post',
    'http_put',
    'http_patch',
    'http_delete',
    'http_head',
    'invoke',
  ],
  ...[
    'query_export_to_s3',
    'system$wait',
    'SYSTEM$cancel_all_queries',
    'system$',
    'system$task_dependents_enable',
    'system$pipe_force_resume',
    'system$send_email',
  ],
];
const HARMLESS = [
  ...['system$clustering_depth', 'SYSTEM$GET_TAG'],
  ...['system$typeof', 'system$last_change_commit_time', 'SYSTEM$CLUSTERING_INFORMATION', 'lo_total', 'lo_creates'],
  ...['pg_typeof', 'pg_stat_get_numscans', 'my_dblink', 'lower', 'nextvals', 'identifier', 'xml_is_well_formed'],
];

describe('functions', () => {
  it.each(OF_POSTGRES)('%s is refused in the grammars of PostgreSQL and Redshift alone', async (name) => {
    const sql = `select a from ${name}(1)`;
    for (const grammar of GRAMMARS) {
      const isRefused = grammar === 'postgresql' || grammar === 'redshift';
      expect(await said(sql, grammar)).toBe(isRefused ? refusal(name) : 'accepted');
    }
  });

  it.each(OF_ANY)('%s is refused in every grammar', async (name) => {
    for (const grammar of GRAMMARS) expect(await said(`select a from ${name}(1)`, grammar)).toBe(refusal(name));
  });

  it.each(HARMLESS)('%s only computes', async (name) => {
    for (const grammar of GRAMMARS) expect(await said(`select a from ${name}(1)`, grammar)).toBe('accepted');
  });

  it.each([...OF_POSTGRES, ...OF_ANY])('%s may be the name of a column', async (name) => {
    expect(await said(`select ${name}, t.${name} as ${name} from t`, 'postgresql')).toBe('accepted');
  });
});
