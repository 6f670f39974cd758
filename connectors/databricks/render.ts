// Bound values of a statement, passed as named parameters.
import type { Statement } from '../../src/warehouse/index.ts';
import { replacePlaces } from '../_shared/places.ts';

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export interface BoundSql {
  readonly text: string;
  readonly parameters: readonly NamedValue[];
}

/**
 * Binds each value once as `:penstock_name`.
 * Values are texts, and the cast around them gives the type. The service takes 255 at most.
 */
export function bindSql(statement: Statement): BoundSql {
  const values = new Map<string, string>();
  const text = replacePlaces(statement, (name, value) => {
    values.set(`penstock_${name}`, String(value));
    return `:penstock_${name}`;
  });
  return { text, parameters: [...values].map(([name, value]) => ({ name, value })) };
}

/** Returns the statement with NULL for each value, for questions about its columns and its plan, which take no parameters. */
export function unboundSql(statement: Statement): string {
  return replacePlaces(statement, () => 'CAST(NULL AS STRING)');
}
