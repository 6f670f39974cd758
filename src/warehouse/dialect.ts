import type { IteratorType } from './iterator.ts';

/** How one product writes what the planner needs. Every bound value is text or an integer, cast in SQL, never the column. */
export interface Dialect {
  /** Name of the grammar of the SQL gate. */
  readonly grammar: string;
  quoteIdentifier(name: string): string;
  /**
   * Of an expression that gives a text, one that is equal for equal bytes alone: a column may take `Ann` and `ann`, or texts
   * with and without spaces at their end, for equal.
   */
  exactText(expression: string): string;
  /** Placeholder of a named parameter, as the driver binds it: `$start`, `?`, `@start`. */
  placeholder(name: string): string;
  /** The placeholder cast to the iterator's own type (warehouses, range predicates). */
  castBound(placeholder: string, type: IteratorType): string;
  /** Other names of iterator_data_type that this product uses, in lower case, by the type each means. */
  readonly iteratorAliases: Readonly<Record<string, IteratorType>>;
}
