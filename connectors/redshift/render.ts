// Where bound values stand in a statement, and how they get there: as `$1` for PostgreSQL, as literals for Redshift, whose
// DECLARE takes no parameters.
import { AppError } from '../../src/kernel/index.ts';
import type { BoundValue, Statement } from '../../src/warehouse/index.ts';

/**
 * A name between two U+0000, the one character that no SQL of PostgreSQL can hold: so a place is never mistaken for the
 * customer's own text, whatever is quoted or commented there, and nothing has to be parsed to find it.
 */
export function placeholder(name: string): string {
  return `\0${name}\0`;
}

export interface BoundSql {
  readonly text: string;
  readonly values: readonly string[];
}

/** `$1`, `$2` … in the order of their first place; the values as text, whose type the cast around them says. */
export function bindSql(statement: Statement): BoundSql {
  const order: string[] = [];
  const text = replacePlaces(statement, (name) => {
    if (!order.includes(name)) order.push(name);
    return `$${order.indexOf(name) + 1}`;
  });
  return { text, values: order.map((name) => String(statement.parameters[name])) };
}

/** Instants, wall clocks, days and whole numbers: bounds of ranges, letter by letter. Nothing else becomes SQL. */
const LITERAL = /^(?:\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\.\d{6}(?:Z|[+-]\d{2}:\d{2})?)?|-?\d{1,19})$/;

/** Each place as a quoted literal. Throws INTERNAL for a value that is no bound of a range. */
export function inlineSql(statement: Statement): string {
  return replacePlaces(statement, (name) => literal(name, statement.parameters[name]));
}

function literal(name: string, value: BoundValue | undefined): string {
  const text = String(value);
  if (LITERAL.test(text)) return `'${text}'`;
  throw new AppError('INTERNAL', `The value of "${name}" is no bound of a range and is not written into SQL.`);
}

function replacePlaces({ sql, parameters }: Statement, write: (name: string) => string): string {
  const parts = sql.split('\0');
  const text = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    if (Object.hasOwn(parameters, part)) return write(part);
    throw zeroByte();
  });
  if (parts.length % 2 === 0) throw zeroByte();
  return text.join('');
}

function zeroByte(): AppError {
  return new AppError(
    'WAREHOUSE_SQL_INVALID',
    'The SQL holds the character U+0000, which no statement can; remove it.',
  );
}
