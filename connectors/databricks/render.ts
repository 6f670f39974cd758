// Where bound values stand in a statement, and how they get there: as parameters by name.
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

/** `:penstock_name`, each once; values as text, whose type the cast around them says. The service takes 255 at most. */
export function bindSql(statement: Statement): BoundSql {
  const values = new Map<string, string>();
  const text = replacePlaces(statement, (name, value) => {
    values.set(`penstock_${name}`, String(value));
    return `:penstock_${name}`;
  });
  return { text, parameters: [...values].map(([name, value]) => ({ name, value })) };
}

/** The same statement with nothing bound, for questions about its columns and its plan, which take no parameters. */
export function unboundSql(statement: Statement): string {
  return replacePlaces(statement, () => 'CAST(NULL AS STRING)');
}
