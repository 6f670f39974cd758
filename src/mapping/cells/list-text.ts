import type { Micros } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import { columnLeaves, listSteps, type ObjectNode } from '../events/place-tree.ts';
import type { Row } from '../unit-mapping.ts';
import { itemsOf } from './leaf-text.ts';
import type { PartWriter } from './object-text.ts';
import type { Refusal } from './refusal.ts';

interface SpreadColumn {
  readonly position: number;
  readonly column: Column;
}

/**
 * Compiles the writer of a list of objects.
 * - Cells that are lists give one object for each position; single values repeat in each. A row without any list gives one
 *   object.
 * - In lists within lists, a cell spreads over the innermost list that its own depth reaches.
 * - All lists of a row must have the same length.
 * - The list is left out where all its columns are NULL.
 */
export function compileList(node: ObjectNode, writeItem: PartWriter): PartWriter {
  const positions = columnLeaves(node).map(({ source }) => source.position);
  const spread = spreadColumns(node);
  return (row, time) => {
    if (positions.length > 0 && isNull(row, positions)) return undefined;
    if (spread.length === 0) return single(writeItem(row, time));
    const items = itemRows(row, spread);
    return 'rule' in items ? items : writeItems(items, time, writeItem);
  };
}

function isNull(row: Row, positions: readonly number[]): boolean {
  for (const position of positions) if ((row[position] ?? null) !== null) return false;
  return true;
}

function single(text: ReturnType<PartWriter>): string | Refusal {
  return typeof text === 'object' ? text : `[${text ?? ''}]`;
}

function writeItems(items: readonly Row[], time: Micros, write: PartWriter): string | Refusal {
  const texts: string[] = [];
  for (const item of items) {
    const text = write(item, time);
    if (typeof text === 'object') return text;
    if (text !== undefined) texts.push(text);
  }
  return `[${texts.join(',')}]`;
}

/** Returns one copy of the row for each object of the list, with the items in place of the list cells. */
function itemRows(row: Row, spread: readonly SpreadColumn[]): readonly Row[] | Refusal {
  const lists: { readonly position: number; readonly column: Column; readonly items: readonly Cell[] }[] = [];
  for (const { position, column } of spread) {
    const items = itemsOf(column, row[position] ?? null);
    if (items !== undefined) lists.push({ position, column, items });
  }
  const [first] = lists;
  if (first === undefined) return [row];
  const other = lists.find(({ items }) => items.length !== first.items.length);
  if (other !== undefined) return unequalLengths(first, other);
  return first.items.map((_, index) => {
    const copy = [...row];
    for (const { position, items } of lists) copy[position] = items[index] ?? null;
    return copy;
  });
}

interface List {
  readonly column: Column;
  readonly items: readonly Cell[];
}

function unequalLengths(one: List, other: List): Refusal {
  const reason =
    `The column "${one.column.name}" holds ${one.items.length} values and "${other.column.name}" ` +
    `${other.items.length}, but both fill one list. Give them the same length in the model.`;
  return { rule: 'list_lengths', field: other.column.name, value: null, reason };
}

/** Returns the columns that may spread over this list: those whose depth reaches it from the innermost list of their path. */
function spreadColumns(node: ObjectNode): readonly SpreadColumn[] {
  const byPosition = new Map<number, SpreadColumn>();
  for (const { source, destination } of columnLeaves(node)) {
    const levels = listSteps(destination).filter((step) => step >= node.depth - 1).length;
    if (listDepth(source.column) >= levels) byPosition.set(source.position, source);
  }
  return [...byPosition.values()];
}

/** Returns the levels of lists in a column. A column without known contents may be a list. */
function listDepth({ type, item }: Column): number {
  if (type === 'json' || type === 'unknown') return 1;
  return type === 'list' ? 1 + (item === undefined ? 0 : listDepth(item)) : 0;
}
