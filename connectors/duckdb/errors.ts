// DuckDB's errors by class. The driver throws plain Errors, whose kind is the text before the first colon.
import { dirname } from 'node:path';
import { AppError, type ErrorCode, messageOf } from '../../src/kernel/index.ts';
import { classifier, rewordFailure } from '../_shared/classifier.ts';

interface Rule {
  /** Beginning of the message. */
  readonly kind: string;
  /** Text that the message must also contain, where one kind has several meanings; the first matching rule decides. */
  readonly holds?: string;
  readonly code: ErrorCode;
  readonly advice?: string;
}

const MEMORY_ADVICE =
  'Reduce the model (fewer columns, no ORDER BY or DISTINCT over all rows), or raise PENSTOCK_DUCKDB_MEMORY_MB.';
const SPILL_ADVICE =
  'Reduce the model (fewer columns, no ORDER BY or DISTINCT over all rows), or raise PENSTOCK_DUCKDB_SPILL_MB.';
const FOLDER_ADVICE = 'SQL can only read files in the folder of the workspace; name them relative to it.';

export const RULES: readonly Rule[] = [
  { kind: 'INTERRUPT Error', code: 'CANCELLED' },
  // another connection changed the same rows
  { kind: 'TransactionContext Error', holds: 'Conflict', code: 'WAREHOUSE_SESSION_LOST' },
  { kind: 'Transaction conflict', code: 'WAREHOUSE_SESSION_LOST' },
  { kind: 'Out of Memory Error', holds: 'max_temp_directory_size', code: 'WAREHOUSE_DATA', advice: SPILL_ADVICE },
  // the model is at fault, not the connection: other models over it may be small
  { kind: 'Out of Memory Error', code: 'WAREHOUSE_DATA', advice: MEMORY_ADVICE },
  { kind: 'Parser Error', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Syntax Error', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Catalog Error', holds: 'Function with name', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Catalog Error', holds: 'Type with name', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Catalog Error', holds: 'does not exist', code: 'WAREHOUSE_OBJECT_MISSING' },
  { kind: 'Catalog Error', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Binder Error', holds: 'Referenced column', code: 'WAREHOUSE_OBJECT_MISSING' },
  { kind: 'Binder Error', holds: 'does not have a column named', code: 'WAREHOUSE_OBJECT_MISSING' },
  { kind: 'Binder Error', holds: 'does not exist', code: 'WAREHOUSE_OBJECT_MISSING' },
  { kind: 'Binder Error', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Not implemented Error', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Permission Error', code: 'WAREHOUSE_PERMISSION', advice: FOLDER_ADVICE },
  { kind: 'Invalid Input Error', holds: 'attached in read-only mode', code: 'WAREHOUSE_PERMISSION' },
  { kind: 'Invalid Input Error', holds: 'configuration has been locked', code: 'WAREHOUSE_PERMISSION' },
  { kind: 'Invalid Input Error', holds: 'prepared statement parameters', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Invalid Input Error', holds: 'parameters, but', code: 'WAREHOUSE_SQL_INVALID' },
  { kind: 'Invalid Input Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Conversion Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Out of Range Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Divide by Zero Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Mismatch Type Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Invalid type Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Decimal Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Constraint Error', code: 'WAREHOUSE_DATA' },
  { kind: 'Sequence Error', code: 'WAREHOUSE_DATA' },
  {
    kind: 'Serialization Error',
    code: 'WAREHOUSE_CONFIG',
    advice: 'Write the file with a DuckDB of the same version.',
  },
  {
    kind: 'IO Error',
    holds: 'Could not set lock',
    code: 'WAREHOUSE_UNREACHABLE',
    advice: 'Another process has locked the file for writing; Penstock tries again.',
  },
  { kind: 'IO Error', holds: 'No files found', code: 'WAREHOUSE_OBJECT_MISSING', advice: FOLDER_ADVICE },
  { kind: 'IO Error', holds: 'database does not exist', code: 'WAREHOUSE_CONFIG' },
  { kind: 'IO Error', holds: 'No such file', code: 'WAREHOUSE_OBJECT_MISSING' },
  { kind: 'IO Error', holds: 'not a valid DuckDB database', code: 'WAREHOUSE_CONFIG' },
  {
    kind: 'IO Error',
    holds: 'version number',
    code: 'WAREHOUSE_CONFIG',
    advice: 'Write the file with a DuckDB of the same version.',
  },
  { kind: 'IO Error', holds: 'Is a directory', code: 'WAREHOUSE_CONFIG' },
  {
    kind: 'IO Error',
    holds: 'Permission denied',
    code: 'WAREHOUSE_PERMISSION',
    advice: 'Allow the user that runs Penstock to read the file.',
  },
  { kind: 'IO Error', holds: 'Too many open files', code: 'WAREHOUSE_THROTTLED' },
  { kind: 'FATAL Error', holds: 'has been invalidated', code: 'WAREHOUSE_SESSION_LOST' },
  // an error of the driver, not of DuckDB: a text over V8's limit of 512 MiB
  { kind: 'Cannot create a string longer than', code: 'WAREHOUSE_DATA' },
];

/**
 * Returns the class of an error. Never throws; an error that no rule matches is WAREHOUSE_UNKNOWN with its cause. DuckDB has no
 * secrets to leak.
 */
export const classify = classifier((error) => {
  const text = messageOf(error);
  const rule = RULES.find(({ kind, holds }) => text.startsWith(kind) && (holds === undefined || text.includes(holds)));
  if (rule === undefined) return new AppError('WAREHOUSE_UNKNOWN', `DuckDB failed: ${text}`, { cause: error });
  const advice = rule.advice === undefined ? '' : `${endOf(text)}${rule.advice}`;
  return new AppError(rule.code, `DuckDB: ${text.trimEnd()}${advice}`, { cause: error });
});

/** Returns the end of a text before advice. A text that ends in a mark below the statement's line takes no full stop. */
function endOf(text: string): string {
  if (text.trimEnd().endsWith('^')) return '\n';
  return /[.!?]$/.test(text.trimEnd()) ? ' ' : '. ';
}

/** Classifies a failure for customers, who see names relative to their folder and not its place on the machine. */
export function explain(failure: unknown, folder: string): AppError {
  const said = failure instanceof Error ? failure.message : '';
  const text = relativePaths(said, folder);
  if (failure instanceof AppError && text !== said) {
    return new AppError(failure.code, text, { cause: failure.cause, issues: failure.issues });
  }
  // before the text is cut, which could leave a part of the folder's path
  if (failure instanceof Error && !(failure instanceof AppError)) rewordFailure(failure, text);
  return classify(failure);
}

/** Rewrites paths relative to the folder, below it or below its ancestors. */
function relativePaths(text: string, folder: string): string {
  let found = text.replaceAll(`${folder}/`, '').replaceAll(folder, '.');
  let way = '../';
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    found = found.replaceAll(`"${above}/`, `"${way}`).replaceAll(`'${above}/`, `'${way}`);
    way += '../';
  }
  return found;
}
