// Functions that do something although they stand in a SELECT, and that neither a READ ONLY transaction nor a missing grant
// of the connection's user reliably stops. The names are those of one product each, so those of PostgreSQL are refused for its grammars only.
import type { Refusal } from './find-refused.ts';
import type { Token } from './parser.ts';

/** PostgreSQL and Redshift, by the whole name. */
const POSTGRES_NAMES = new Set([
  // large objects are made in READ ONLY transactions, too
  ...['lo_create', 'lo_creat', 'lo_from_bytea', 'lo_import', 'lo_export', 'lo_put', 'lo_get', 'lo_open', 'lo_close'],
  ...['lo_unlink', 'lo_truncate', 'lo_truncate64', 'lo_lseek', 'lo_lseek64', 'lo_tell', 'lo_tell64', 'lo_manage'],
  ...['lowrite', 'loread'],
  // SQL in a text, which nobody has looked at
  ...['ts_stat', 'crosstab', 'crosstab2', 'crosstab3', 'crosstab4', 'crosstabn', 'connectby'],
]);

/** PostgreSQL and Redshift, by how the names begin. */
const POSTGRES_FAMILIES = [
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
  ...['query_to_xml', 'cursor_to_xml', 'table_to_xml', 'schema_to_xml', 'database_to_xml'],
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
function hasEffects(name: string, grammar: string): boolean {
  const own = name.toLowerCase();
  if (own.startsWith(SYSTEM_PREFIX)) return !HARMLESS_SYSTEM.has(own);
  if (OTHERS.has(own)) return true;
  const isPostgres = grammar === 'postgresql' || grammar === 'redshift';
  return isPostgres && (POSTGRES_NAMES.has(own) || POSTGRES_FAMILIES.some((family) => own.startsWith(family)));
}

/**
 * The first call of such a function, by the words of the text: the tree hides qualified and quoted calls. A name that is
 * written with escapes (`U&"…"`) could be any of them.
 */
export function findEffect(tokens: readonly Token[], grammar: string): Refusal | undefined {
  for (const [index, token] of tokens.entries()) {
    if (grammar === 'snowflake' && isNextOfSequence(tokens, index))
      return { construct: 'NEXTVAL', offset: token.start };
    const construct = token.type === 'STRING' ? undefined : effectOfCall(tokens, index, grammar);
    if (construct !== undefined) return { construct, offset: token.start };
  }
  return undefined;
}

function effectOfCall(tokens: readonly Token[], index: number, grammar: string): string | undefined {
  if (tokens[index + 1]?.type !== 'L_PAREN') return undefined;
  const { type, text } = tokens[index] as Token;
  if (hasEffects(text, grammar) && !isDefinedByWith(tokens, index)) return text.toUpperCase();
  const isEscaped = type === 'QUOTED_IDENTIFIER' && text.includes('\\') && tokens[index - 1]?.type === 'AMP';
  return isEscaped ? 'A function whose name is written with escapes' : undefined;
}

/** Snowflake moves a sequence on where its name has this column: `seq.NEXTVAL`. */
function isNextOfSequence(tokens: readonly Token[], index: number): boolean {
  const { type, text } = tokens[index] as Token;
  return type !== 'STRING' && text.toLowerCase() === 'nextval' && tokens[index - 1]?.type === 'DOT';
}

/** Tells `WITH name (a, b) AS (` from a call: behind the list of columns stands AS and a query in parentheses. */
function isDefinedByWith(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.text.toUpperCase();
  if (before !== 'WITH' && before !== 'RECURSIVE' && before !== ',') return false;
  const close = tokens.findIndex(({ text, type }, at) => at > index && text === ')' && type !== 'STRING');
  const names = tokens.slice(index + 2, close);
  const isList = names.every(({ type, text }) => type === 'VAR' || type === 'QUOTED_IDENTIFIER' || text === ',');
  const [as, ...next] = tokens.slice(close + 1, close + 5).map(({ text }) => text.toUpperCase());
  const query = next.filter((word) => word !== 'NOT' && word !== 'MATERIALIZED');
  return (
    isList &&
    as === 'AS' &&
    query[0] === '(' &&
    (query[1] === undefined || /^(?:SELECT|WITH|VALUES|\()$/.test(query[1]))
  );
}

/**
 * The text as Redshift reads it, where PostgreSQL and Redshift, which one connection may both be, differ: a backslash before
 * a quote ends the string to PostgreSQL, and to Redshift the string goes on. Its escapes are blanked, so that places stay.
 * `unclosed`: Redshift refuses it by itself. `unclear`: comments and dollar quotes may hold quotes, too.
 */
export function readByRedshift(
  sql: string,
  tokens: readonly Token[],
  grammar: string,
): { readonly kind: 'same' | 'unclosed' } | { readonly kind: 'differs'; readonly text: string } | UnclearReading {
  if (grammar !== 'postgresql' && grammar !== 'redshift') return { kind: 'same' };
  const differing = tokens.find(({ type, start, end }) => type === 'STRING' && /^'.*\\'/s.test(sql.slice(start, end)));
  if (differing === undefined) return { kind: 'same' };
  if (/\/\*|\$/.test(sql)) return { kind: 'unclear', offset: differing.start };
  let isClosed = true;
  const text = sql.replaceAll(/--[^\n]*|"[^"]*"|'(?:\\[\s\S]|''|[^'\\])*(?:'|\\?$)/g, (part) => {
    if (!part.startsWith("'")) return part;
    const blanked = part.replaceAll(/\\[\s\S]/g, '__');
    isClosed &&= blanked.length > 1 && (blanked.match(/'/g) ?? []).length % 2 === 0;
    return blanked;
  });
  return isClosed ? { kind: 'differs', text } : { kind: 'unclosed' };
}

interface UnclearReading {
  readonly kind: 'unclear';
  readonly offset: number;
}
