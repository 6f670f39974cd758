import type { Cell, NestedCell } from '../../src/warehouse/index.ts';

/** Estimated bytes of a value besides its text or bytes. */
const CELL_BYTES = 16;

/** Estimates the bytes of memory that a cell takes. */
export function weightOf(cell: Cell): number {
  if (typeof cell === 'string' || cell instanceof Uint8Array) return CELL_BYTES + cell.length;
  if (typeof cell !== 'object' || cell === null) return CELL_BYTES;
  const items: readonly Cell[] = isList(cell) ? cell : cell.entries.flat();
  return items.reduce((sum: number, item) => sum + weightOf(item), CELL_BYTES);
}

function isList(cell: readonly Cell[] | NestedCell): cell is readonly Cell[] {
  return Array.isArray(cell);
}
