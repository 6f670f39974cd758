import type { IteratorType } from './iterator.ts';

/**
 * The SQL of one product, as the planner needs it. Bound values are text or integers and are cast in SQL; the column never is.
 */
export interface Dialect {
  /** Name of the grammar of the SQL gate. */
  readonly grammar: string;
  quoteIdentifier(name: string): string;
  /**
   * Returns an expression that is equal only for equal bytes of the given text expression. A column may compare `Ann` and
   * `ann`, or texts with and without trailing spaces, as equal.
   */
  exactText(expression: string): string;
  /**
   * Returns an expression that reads a JSON or nested column as JSON text; `column` is quoted. Default: a cast to VARCHAR.
   */
  jsonText?(column: string, nativeType: string): string;
  /** Returns the placeholder of a named parameter as the driver binds it: `$start`, `?`, `@start`. */
  placeholder(name: string): string;
  /** Returns the placeholder cast to the iterator's own type (warehouses, range predicates). */
  castBound(placeholder: string, type: IteratorType): string;
  /** Other names of iterator_data_type in this product, in lower case, each with its type. */
  readonly iteratorAliases: Readonly<Record<string, IteratorType>>;
}
