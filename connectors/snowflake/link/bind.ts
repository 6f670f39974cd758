import type { Statement } from '../../../src/warehouse/index.ts';
import { replacePlaces } from '../../_shared/places.ts';

export interface BoundSql {
  readonly text: string;
  /** Texts, whatever they mean: the cast around their place says it. The SDK would make a number of a number. */
  readonly values: readonly string[];
}

/** `?` for each place. A `?` of the customer's own makes more places than values, which the server refuses. */
export function bindSql(statement: Statement): BoundSql {
  const values: string[] = [];
  const text = replacePlaces(statement, (_, value) => {
    values.push(String(value));
    return '?';
  });
  return { text, values };
}
