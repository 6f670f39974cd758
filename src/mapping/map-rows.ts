import { setImmediate } from 'node:timers/promises';
import type { MappedRows, Row, UnitMapping } from './unit-mapping.ts';

/** Rows between two turns of the event loop: about a millisecond, so that the store never waits long. */
export const SLICE_ROWS = 250;

/** Maps rows that are all there. */
export async function mapRows(mapping: UnitMapping, rows: readonly Row[]): Promise<MappedRows> {
  const units = mapping.collect();
  for (const [index, row] of rows.entries()) {
    units.add(row);
    if (index % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return units.finish();
}
