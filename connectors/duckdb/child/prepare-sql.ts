// Check by DuckDB's own parser before anything is bound: one SELECT, table functions that only read, and files named relative
// to the workspace's folder. DuckDB itself would look for them where the daemon was started.
import type { DuckDBConnection } from '@duckdb/node-api';
import { AppError } from '../../../src/kernel/index.ts';
import { cutText } from '../../_shared/classifier.ts';

/** Table functions that read a file whose name is the first argument. */
const FILE_FUNCTIONS = new Set([
  'read_csv',
  'read_csv_auto',
  'sniff_csv',
  'read_parquet',
  'parquet_scan',
  'parquet_metadata',
  'parquet_schema',
  'parquet_file_metadata',
  'parquet_kv_metadata',
  'parquet_full_metadata',
  'parquet_bloom_probe',
  'read_json',
  'read_json_auto',
  'read_json_objects',
  'read_json_objects_auto',
  'read_ndjson',
  'read_ndjson_auto',
  'read_ndjson_objects',
  'read_text',
  'read_blob',
  'read_duckdb',
  'glob',
]);
/**
 * Other table functions that a model may call. An allow-list, because some of the rest run SQL that was not checked (`query`),
 * read memory by address (`arrow_scan`), or end the process (`enable_logging` with a path outside the folder).
 */
const OTHER_FUNCTIONS = new Set([
  'range',
  'generate_series',
  'unnest',
  'repeat',
  'repeat_row',
  'json_each',
  'json_tree',
  'histogram',
  'histogram_values',
  'pg_timezone_names',
  'icu_calendar_names',
  'test_all_types',
  'test_vector_types',
  'duckdb_columns',
  'duckdb_constraints',
  'duckdb_functions',
  'duckdb_indexes',
  'duckdb_schemas',
  'duckdb_sequences',
  'duckdb_tables',
  'duckdb_types',
  'duckdb_views',
  'pragma_version',
]);
/** Functions that reveal where the daemon stores its files. */
const HOST_FUNCTIONS = new Set(['current_setting', 'getenv']);
/** Tables that reveal the same. */
const HOST_TABLES = new Set(['duckdb_databases', 'pragma_database_list', 'pg_settings', 'duckdb_settings']);
/** Names that DuckDB takes for a file in the place of a table. */
const FILE_NAME = /\.(csv|tsv|txt|parquet|json|jsonl|ndjson|db|duckdb)(\.gz|\.zst)?$/i;

/** Returns the statement in the form that DuckDB gets. Throws SQL_REFUSED or WAREHOUSE_SQL_INVALID. */
export async function prepareSql(connection: DuckDBConnection, sql: string, folder: string): Promise<string> {
  const tree = await parseTree(connection, sql);
  const macros = await ownMacros(connection, tree);
  const edits: Edit[] = [];
  for (const node of nodesOf(tree)) {
    if (node.type === 'BASE_TABLE') edits.push(...tableEdits(node));
    if (node.type === 'TABLE_FUNCTION' && isRecord(node.function)) {
      edits.push(...functionEdits(node.function, macros));
    }
    if (node.class === 'FUNCTION') refuseHostFunction(node);
  }
  return applyEdits(sql, edits, folder);
}

type Fields = Readonly<Record<string, unknown>>;

async function parseTree(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const [[text] = []] = await (await connection.run('SELECT json_serialize_sql($1::VARCHAR)', [sql])).getRowsJson();
  const answer: unknown = JSON.parse(String(text));
  if (!isRecord(answer)) throw new AppError('INTERNAL', 'DuckDB returned no syntax tree.');
  if (answer.error === true) throw refusal(answer);
  const { statements } = answer;
  if (!Array.isArray(statements) || statements.length !== 1) {
    throw new AppError('SQL_REFUSED', 'The model must be exactly one statement.');
  }
  return statements[0];
}

/**
 * Returns the refusal. A statement that DuckDB parses but cannot show as a tree is no SELECT, or is a PIVOT that must look for
 * its columns first.
 */
function refusal({ error_type: kind, error_message: text }: Fields): AppError {
  const message = cutText(String(text));
  if (kind === 'parser') return new AppError('WAREHOUSE_SQL_INVALID', `DuckDB: Parser Error: ${message}`);
  if (!message.startsWith('Only SELECT')) return new AppError('WAREHOUSE_SQL_INVALID', `DuckDB: ${message}`);
  const pivot = 'A PIVOT must list its values: ON column IN (…).';
  return new AppError('SQL_REFUSED', `The model must be one SELECT that only reads. ${pivot}`);
}

function refuseHostFunction({ function_name: called }: Fields): void {
  const name = String(called).toLowerCase();
  if (!HOST_FUNCTIONS.has(name)) return;
  throw new AppError(
    'SQL_REFUSED',
    `The function ${name} is not allowed in a model, because it shows settings of the daemon; remove it.`,
  );
}

/** Returns the table macros of the database file, which look like table functions. */
async function ownMacros(connection: DuckDBConnection, tree: unknown): Promise<ReadonlySet<string>> {
  const called = [...nodesOf(tree)].some(({ type }) => type === 'TABLE_FUNCTION');
  if (!called) return new Set();
  const result = await connection.run(
    "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type = 'table_macro' AND NOT internal",
  );
  return new Set((await result.getRowsJson()).map(([name]) => String(name)));
}

function* nodesOf(root: unknown): Generator<Fields> {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isRecord(value)) yield value;
    pending.push(...Object.values(value));
  }
}

/** A literal at a byte offset whose text is `name`, and which gets the folder in front. */
interface Edit {
  readonly at: number;
  readonly name: string;
}

function tableEdits({ table_name: name, schema_name: schema, query_location: at }: Fields): readonly Edit[] {
  if (HOST_TABLES.has(String(name).toLowerCase())) {
    throw new AppError(
      'SQL_REFUSED',
      `The table ${name} is not allowed in a model, because it shows settings of the daemon; remove it.`,
    );
  }
  if (typeof name !== 'string' || schema !== '' || !FILE_NAME.test(name)) return [];
  return editOf(name, at);
}

function functionEdits({ function_name: called, children }: Fields, macros: ReadonlySet<string>): readonly Edit[] {
  const name = String(called).toLowerCase();
  if (!FILE_FUNCTIONS.has(name)) {
    if (OTHER_FUNCTIONS.has(name) || macros.has(name)) return [];
    throw new AppError('SQL_REFUSED', `The table function ${name} is not allowed in a model; remove it.`);
  }
  // named arguments parse as comparisons
  const first = (Array.isArray(children) ? children : []).find(
    (child) => isRecord(child) && child.class !== 'COMPARISON',
  );
  return literalsOf(first).flatMap(({ value, at }) => editOf(value, at));
}

/**
 * Returns a string, or those of a list. A computed name is left to DuckDB, which refuses it unless the file is in the folder.
 */
function literalsOf(argument: unknown): readonly { readonly value: string; readonly at: unknown }[] {
  if (!isRecord(argument)) return [];
  if (argument.type === 'VALUE_CONSTANT' && isRecord(argument.value) && typeof argument.value.value === 'string') {
    return [{ value: argument.value.value, at: argument.query_location }];
  }
  return argument.function_name === 'list_value' && Array.isArray(argument.children)
    ? argument.children.flatMap(literalsOf)
    : [];
}

function editOf(name: string, at: unknown): readonly Edit[] {
  const isElsewhere = name.startsWith('/') || name.startsWith('~') || name.includes('://') || name.includes('\\');
  return isElsewhere || typeof at !== 'number' ? [] : [{ at, name }];
}

/** Applies the edits from the last to the first, so that offsets stay right. DuckDB counts bytes. */
function applyEdits(sql: string, edits: readonly Edit[], folder: string): string {
  let bytes = Buffer.from(sql, 'utf8');
  for (const { at, name } of [...edits].sort((left, right) => right.at - left.at)) {
    const quote = String.fromCharCode(bytes[at] ?? 0);
    const written = Buffer.from(quoted(name, quote), 'utf8');
    // anything else (dollar quotes, E'…', an unquoted name) is left to DuckDB
    if ((quote !== "'" && quote !== '"') || !bytes.subarray(at, at + written.length).equals(written)) continue;
    const located = Buffer.from(quoted(`${folder}/${name}`, quote), 'utf8');
    bytes = Buffer.concat([bytes.subarray(0, at), located, bytes.subarray(at + written.length)]);
  }
  return bytes.toString('utf8');
}

function quoted(text: string, quote: string): string {
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
