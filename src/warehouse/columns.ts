import { AppError } from '../kernel/index.ts';
import type { Column } from './cells.ts';

/**
 * Returns `columns`. Throws MODEL_INVALID where two have one name, because one of them would be lost.
 * `fold` maps a name to the form in which names are compared (default: the text itself).
 */
export function requireDistinctColumns(
  columns: readonly Column[],
  fold: (name: string) => string = (name) => name,
): readonly Column[] {
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(fold(name))) {
      throw new AppError(
        'MODEL_INVALID',
        `The model has two columns with the name "${name}"; rename one of them with AS.`,
      );
    }
    seen.add(fold(name));
  }
  return columns;
}

/** Returns the column of that name: the same text if there is one, else the only one that differs in case. */
export function findColumn(columns: readonly Column[], name: string): Column | undefined {
  const exact = columns.find((column) => column.name === name);
  if (exact !== undefined) return exact;
  const folded = columns.filter((column) => column.name.toLowerCase() === name.toLowerCase());
  return folded.length === 1 ? folded[0] : undefined;
}

/**
 * Throws MODEL_CHANGED where names, types or their order differ from those that were described.
 * Readers rely on the described columns, but a table or file may be replaced in between. `nativeType` is not compared: products
 * write it in several forms (`NUMERIC` and `NUMERIC(18, 2)`), and cells depend on `type` alone.
 */
export function requireDescribedColumns(columns: readonly Column[], described: readonly Column[]): void {
  const [now, before] = [columns.map(shownColumn), described.map(shownColumn)];
  const at = before.findIndex((column, index) => column !== now[index]);
  if (at < 0 && now.length === before.length) return;
  const place = at < 0 ? before.length : at;
  const message =
    `The columns of the model changed before it was read: column ${place + 1} was ${before[place] ?? 'missing'} ` +
    `when the model was described, and is ${now[place] ?? 'missing'} in its rows. Nothing was read; try again after the table is complete.`;
  throw new AppError('MODEL_CHANGED', message);
}

/** Returns a column for messages, such as `"tags" (list of text)`. */
function shownColumn({ name, ...column }: Column): string {
  return `"${name}" (${typeNames(column)})`;
}

function typeNames({ type, item }: Omit<Column, 'name'>): string {
  return item === undefined ? type : `${type} of ${typeNames(item)}`;
}
