// Columns of a user_attributes model that hold JSON or nested values. A failed record names only the first of them that its row
// fails on, so a warning names all of them.
import type { Column, Dialect } from '../../warehouse/index.ts';
import type { Notice } from '../pipelines/pipeline.ts';
import type { ColumnNeeds } from './pipeline-fit.ts';

const NESTED_TYPES: ReadonlySet<Column['type']> = new Set(['json', 'struct', 'map']);
const MOST_TYPE_CHARACTERS = 40;

/**
 * Warns of all columns of a user_attributes pipeline whose rows fail on an object, and names the expression that reads each as
 * text. Pure.
 */
export function nestedWarnings(
  columns: readonly Column[],
  { transformation }: Pick<ColumnNeeds, 'transformation'>,
  dialect: Dialect,
): readonly Notice[] {
  const nested = transformation === null ? columns.filter(holdsObjects) : [];
  if (nested.length === 0) return [];
  const names = nested.map(({ name, nativeType }) => `"${name}" (${shortened(nativeType)})`).join(', ');
  const texts = nested
    .map((column) => `${textOf(column, dialect)} AS ${dialect.quoteIdentifier(column.name)}`)
    .join(', ');
  const message =
    `Rows with an object in one of these columns fail, because a user attribute is a single value or a list of them: ${names}. ` +
    `Select the fields that you need, or the whole as text: ${texts}.`;
  return [{ message }];
}

function holdsObjects({ type, item }: Column): boolean {
  return NESTED_TYPES.has(type) || (item !== undefined && holdsObjects(item));
}

function textOf({ name, nativeType }: Column, { quoteIdentifier, jsonText }: Dialect): string {
  const column = quoteIdentifier(name);
  return jsonText?.(column, nativeType) ?? `CAST(${column} AS VARCHAR)`;
}

function shortened(nativeType: string): string {
  return nativeType.length > MOST_TYPE_CHARACTERS ? `${nativeType.slice(0, MOST_TYPE_CHARACTERS)}…` : nativeType;
}
