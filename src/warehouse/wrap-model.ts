// Wraps a model as a subquery with the half-open range of a run. The parameter is cast, the column stays untouched
// (D-081).
import type { BoundValue, Statement } from './connector.ts';
import type { Dialect } from './dialect.ts';
import type { IteratorType } from './iterator.ts';

export interface RangeColumn {
  /** The column's name as `describe` gave it, not as the pipeline spells it. */
  readonly column: string;
  /** As the column's own type wants it: a bound with a zone never meets a column without one. */
  readonly type: IteratorType;
}

/**
 * Bounds as the type wants them: with zone `2024-01-01T00:00:00.000000+00:00` (`Z` is the same), without zone the wall
 * clock `2024-01-01T00:00:00.000000` in the iterator's zone, date `2024-01-01`, unix time a whole number.
 */
export interface Range extends RangeColumn {
  /** Rows at or after it; undefined: no lower bound. */
  readonly start?: BoundValue | undefined;
  /** Rows before it; undefined: no upper bound. */
  readonly end?: BoundValue | undefined;
}

export interface ModelToWrap {
  /** What `checkModel` gave back, never the customer's raw text. */
  readonly sql: string;
  readonly dialect: Dialect;
  /** Absent, or without bounds: all rows of the model. */
  readonly range?: Range | undefined;
  /** At most so many rows, whichever the warehouse finds first. */
  readonly limit?: number;
}

const ALIAS = 'penstock_model';

/**
 * The model's rows of `[start, end)`, or all of them. Always as a subquery: whatever the gate could not judge, only a query
 * can stand there, so that nothing that writes reaches a warehouse. Rows whose iterator is NULL are in no range:
 * `countNullIterators` counts them. A subquery may hide that two of the model's columns share a name: describe the model
 * itself first, which runs nothing.
 */
export function wrapModel(model: ModelToWrap): Statement {
  const { source, parameters } = rowsOf(model);
  const limit = model.limit === undefined ? '' : ` LIMIT ${Math.trunc(model.limit)}`;
  return { sql: `SELECT * ${source}${limit}`, parameters };
}

/** One row of one integer: how many rows `wrapModel` has. */
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

/** One row of one integer: the rows of the model that no window can see (a warning of the run). */
export function countNullIterators(sql: string, dialect: Dialect, column: string): Statement {
  const name = `${ALIAS}.${dialect.quoteIdentifier(column)}`;
  return { sql: `SELECT count(*) AS null_iterators FROM ${subquery(sql)} WHERE ${name} IS NULL`, parameters: {} };
}

/** The line breaks keep the parenthesis out of a comment that the gate could not see. */
function subquery(sql: string): string {
  return `(\n${sql}\n) AS ${ALIAS}`;
}
