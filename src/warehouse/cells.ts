/** Kinds of columns that mapping tells apart. Messages name the native type. */
export type ColumnType =
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'double'
  | 'text'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'timestamp_tz'
  | 'binary'
  | 'uuid'
  | 'json'
  | 'list'
  | 'struct'
  | 'map'
  | 'unknown';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Name of the type as the warehouse writes it, such as `DECIMAL(18,2)`. */
  readonly nativeType: string;
  /** Column of the items of a list. */
  readonly item?: Column;
}

/**
 * One exact value. By column type: boolean → boolean; integer → number when safe, else bigint; decimal → its text;
 * double → number, NaN and infinities included; text, uuid, json → string; date → `YYYY-MM-DD`; time → `HH:MM:SS.ffffff`;
 * timestamp → `YYYY-MM-DDTHH:MM:SS.ffffff` without zone; timestamp_tz → the same in UTC with `Z`; binary → Uint8Array;
 * list → array of cells; struct and map → `NestedCell`.
 */
export type Cell = null | boolean | number | bigint | string | Uint8Array | readonly Cell[] | NestedCell;

/** A struct or map: entries in order. Attributes cannot hold it, so mapping refuses it by name. */
export interface NestedCell {
  readonly entries: readonly (readonly [Cell, Cell])[];
}
