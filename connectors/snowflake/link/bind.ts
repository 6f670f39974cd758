import type { Statement } from '../../../src/warehouse/index.ts';
import { replacePlaces } from '../../_shared/places.ts';

export interface BoundSql {
  readonly text: string;
  /** Values as texts, whatever their type, which the cast around the place gives. The SDK would send a number as a number. */
  readonly values: readonly string[];
}

/** Binds `?` for each place. A `?` of the customer's own makes more places than values, which the server refuses. */
export function bindSql(statement: Statement): BoundSql {
  const values: string[] = [];
  const text = replacePlaces(statement, (_, value) => {
    values.push(String(value));
    return '?';
  });
  return { text, values };
}
