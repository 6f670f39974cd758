// Places of bound values in a statement, until the connector writes what its product binds there.
import { AppError } from '../../src/kernel/index.ts';
import type { BoundValue, Statement } from '../../src/warehouse/index.ts';

/**
 * Returns a name between two U+0000, the one character that no SQL can hold. So a place is never mistaken for the customer's
 * own text, whatever that quotes or comments, and no parser is needed to find places.
 */
export function placeholder(name: string): string {
  return `\0${name}\0`;
}

/**
 * Returns the statement with each place replaced by `write`. Throws WAREHOUSE_SQL_INVALID for a U+0000 of the customer's own.
 */
export function replacePlaces(
  { sql, parameters }: Statement,
  write: (name: string, value: BoundValue) => string,
): string {
  const parts = sql.split('\0');
  const text = parts.map((part, index) => {
    if (index % 2 === 0) return part;
    const value = Object.hasOwn(parameters, part) ? parameters[part] : undefined;
    if (value !== undefined) return write(part, value);
    throw zeroByte();
  });
  if (parts.length % 2 === 0) throw zeroByte();
  return text.join('');
}

function zeroByte(): AppError {
  return new AppError(
    'WAREHOUSE_SQL_INVALID',
    'The SQL contains the character U+0000, which is not allowed in statements; remove it.',
  );
}
