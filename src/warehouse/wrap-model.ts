// Wraps a model as a subquery with the half-open range of a run. The parameter is cast, the column never is (D-081).
import type { BoundValue, Statement } from './connector.ts';
import type { Dialect } from './dialect.ts';
import type { IteratorType } from './iterator.ts';

export interface RangeColumn {
  /** The column's name as `describe` gave it, not as the pipeline spells it. */
  readonly column: string;
  /** Type of the column itself, so that a bound with a zone never meets a column without one. */
  readonly type: IteratorType;
}

/**
 * Bounds in the form of the type: with zone `2024-01-01T00:00:00.000000+00:00` (`Z` is the same); without zone the wall clock
 * `2024-01-01T00:00:00.000000` in the iterator's zone; date `2024-01-01`; unix time a whole number.
 */
export interface Range extends RangeColumn {
  /** First instant of the range. Undefined: no lower bound. */
  readonly start?: BoundValue | undefined;
  /** End of the range, exclusive. Undefined: no upper bound. */
  readonly end?: BoundValue | undefined;
}

export interface ModelToWrap {
  /** Text that `checkModel` returned, never the customer's raw text. */
  readonly sql: string;
  readonly dialect: Dialect;
  /** Range of the rows. Absent, or without bounds: all rows of the model. */
  readonly range?: Range | undefined;
  /** Most rows to return, whichever the warehouse finds first. */
  readonly limit?: number;
}

const ALIAS = 'penstock_model';

/**
 * Returns a statement for the model's rows of `[start, end)`, or for all of them.
 * - The model is always a subquery. Only a query can stand there, so nothing that writes reaches a warehouse, even where the
 *   gate was undecided.
 * - Rows whose iterator is NULL are in no range: `countNullIterators` counts them.
 * - A subquery may hide that two of the model's columns share a name. Describe the model itself first, which runs nothing.
 */
export function wrapModel(model: ModelToWrap): Statement {
  const { source, parameters } = rowsOf(model);
  const limit = model.limit === undefined ? '' : ` LIMIT ${Math.trunc(model.limit)}`;
  return { sql: `SELECT * ${source}${limit}`, parameters };
}

/** Returns a statement that counts the rows of `wrapModel`: one row of one integer. */
export function countRows(model: Omit<ModelToWrap, 'limit'>): Statement {
  const { source, parameters } = rowsOf(model);
  return { sql: `SELECT count(*) AS row_count ${source}`, parameters };
}

function rowsOf({ sql, dialect, range }: ModelToWrap) {
  const conditions: string[] = [];
  const parameters: Record<string, BoundValue> = {};
  const bound = (name: string, operator: string, value: BoundValue | undefined) => {
    if (range === undefined || value === undefined) return;
    const column = `${ALIAS}.${dialect.quoteIdentifier(range.column)}`;
    conditions.push(`${column} ${operator} ${dialect.castBound(dialect.placeholder(name), range.type)}`);
    parameters[name] = value;
  };
  bound('range_start', '>=', range?.start);
  bound('range_end', '<', range?.end);
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return { source: `FROM ${subquery(sql)}${where}`, parameters };
}

/**
 * Returns a statement that counts the rows of the model that are in no range (a warning of the run): one row of one integer.
 */
export function countNullIterators(sql: string, dialect: Dialect, column: string): Statement {
  const name = `${ALIAS}.${dialect.quoteIdentifier(column)}`;
  return { sql: `SELECT count(*) AS null_iterators FROM ${subquery(sql)} WHERE ${name} IS NULL`, parameters: {} };
}

/** Returns the model as a subquery. The line breaks keep the parenthesis out of a comment that the gate could not see. */
function subquery(sql: string): string {
  return `(\n${sql}\n) AS ${ALIAS}`;
}
