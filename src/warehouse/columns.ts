import { AppError } from '../kernel/index.ts';
import type { Column } from './cells.ts';

/** Two columns of one name are an error: one of them would be lost. `fold` says what counts as one name (default: the same text). */
export function requireDistinctColumns(
  columns: readonly Column[],
  fold: (name: string) => string = (name) => name,
): readonly Column[] {
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(fold(name))) {
      throw new AppError(
        'MODEL_INVALID',
        `The model gives two columns the name "${name}"; give each a name of its own.`,
      );
    }
    seen.add(fold(name));
  }
  return columns;
}

/** The column of that name: the same text if there is one, else the only one that differs in case. */
export function findColumn(columns: readonly Column[], name: string): Column | undefined {
  const exact = columns.find((column) => column.name === name);
  if (exact !== undefined) return exact;
  const folded = columns.filter((column) => column.name.toLowerCase() === name.toLowerCase());
  return folded.length === 1 ? folded[0] : undefined;
}
