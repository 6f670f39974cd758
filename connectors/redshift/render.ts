// Bound values in a statement: as `$1` for PostgreSQL, as literals for Redshift, whose DECLARE takes no parameters.
import { AppError } from '../../src/kernel/index.ts';
import type { BoundValue, Statement } from '../../src/warehouse/index.ts';
import { replacePlaces } from '../_shared/places.ts';

export interface BoundSql {
  readonly text: string;
  readonly values: readonly string[];
}

/** Binds `$1`, `$2` … in the order of their first place. Values are texts, and the cast around them gives the type. */
export function bindSql(statement: Statement): BoundSql {
  const order: string[] = [];
  const text = replacePlaces(statement, (name) => {
    if (!order.includes(name)) order.push(name);
    return `$${order.indexOf(name) + 1}`;
  });
  return { text, values: order.map((name) => String(statement.parameters[name])) };
}

/** Bounds of ranges, letter by letter: instants, wall clocks, days and whole numbers. Nothing else is written into SQL. */
const LITERAL = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\.\d{6}(?:Z|[+-]\d{2}:\d{2})?)?|-?\d{1,19})$/;

/** Writes each place as a quoted literal. Throws INTERNAL for a value that is no bound of a range. */
export function inlineSql(statement: Statement): string {
  return replacePlaces(statement, literal);
}

function literal(name: string, value: BoundValue): string {
  const text = String(value);
  if (LITERAL.test(text)) return `'${text}'`;
  throw new AppError('INTERNAL', `The value of "${name}" is not a bound of a range, so it is not written into SQL.`);
}
