import type { Fixture, Warehouse } from './fixture.ts';

export interface Filling {
  readonly name: string;
  readonly columns: readonly FillingColumn[];
  /** Texts as the product's literal takes them; NULL is null. */
  readonly rows: readonly (readonly (string | null)[])[];
}

interface FillingColumn {
  readonly name: string;
  readonly ddl: string;
  /** A text of `rows` in SQL. */
  literal(text: string): string;
}

const ROWS_PER_INSERT = 2500;

/** Makes a table with thousands of rows. */
export async function fillTable(warehouse: Warehouse, filling: Filling): Promise<void> {
  const columns = filling.columns.map(({ name, ddl }) => `${name} ${ddl}`);
  await warehouse.seed([`CREATE TABLE ${filling.name} (${columns.join(', ')})`]);
  await addRows(warehouse, filling);
}

/** By INSERT where the product has nothing that is better. */
export async function addRows(warehouse: Warehouse, { name, columns, rows }: Filling): Promise<void> {
  const { fill } = warehouse;
  if (fill !== undefined) {
    const namesOf = (row: Filling['rows'][number]) => columns.map((column, index) => [column.name, row[index] ?? null]);
    return fill(
      name,
      rows.map((row) => Object.fromEntries(namesOf(row))),
    );
  }
  const literals = rows.map((row) => columns.map(({ literal }, index) => literalOf(row[index] ?? null, literal)));
  for (let start = 0; start < literals.length; start += ROWS_PER_INSERT) {
    const some = literals.slice(start, start + ROWS_PER_INSERT).map((row) => `(${row.join(', ')})`);
    await warehouse.seed([`INSERT INTO ${name} VALUES ${some.join(', ')}`]);
  }
}

function literalOf(text: string | null, literal: (text: string) => string): string {
  return text === null ? 'NULL' : literal(text);
}

/** Columns of the iterator types that a fixture knows. */
export function iteratorColumn({ iterators }: Fixture, name: string, type: keyof Fixture['iterators']): FillingColumn {
  const { ddl, literal } = iterators[type];
  return { name, ddl, literal };
}

export const PLAIN = (text: string): string => text;
