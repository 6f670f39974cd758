// Rows of a warehouse become people and event batches: cells become texts, columns get their roles, the iterator its axis. A
// mapper is compiled once for each run from the columns and looks up nothing per row. This room reads no warehouse and writes
// no store.
export { cellForm, isSameForm } from './cells/cell-form.ts';
export { cellsFromText, cellsText } from './cells/cells-text.ts';
export { isList, plainOf, rowText, shownValue, storableText } from './cells/failed-row.ts';
export type { Refusal } from './cells/refusal.ts';
export { createRowHash, HASH_BYTES, type RowHash } from './cells/row-hash.ts';
export { cellText } from './cells/row-text.ts';
export { createMapping } from './create-mapping.ts';
export { mapRows, SLICE_ROWS } from './map-rows.ts';
export { assignRoles, DEFAULT_LIMITS } from './people/column-roles.ts';
export { compileMapper } from './people/compile-mapper.ts';
export { createPeopleMapping } from './people/people-mapping.ts';
export { type IteratorAxis, iteratorAxis } from './range/iterator-axis.ts';
export type {
  MappedRows,
  RefusedRow,
  Row,
  RowHashes,
  UnitCollector,
  UnitMapping,
  UnitOutcome,
} from './unit-mapping.ts';
