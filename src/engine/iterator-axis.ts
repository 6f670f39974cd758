import { AppError, formatMicros, type Micros } from '../kernel/index.ts';
import type { BoundValue, Cell, Column, ColumnType, IteratorType } from '../warehouse/index.ts';
import { createZone, utcMicros, type Zone } from './wall-clock.ts';

/**
 * The iterator column as a time line: where a boundary may stand, how it is written for the warehouse, and which instant a
 * cell of the column means. Three things decide it: the declared type, the column's own type, and the declared zone.
 */
export interface IteratorAxis {
  /** What the dialect casts a bound to. */
  readonly boundType: IteratorType;
  /** The newest boundary at or before `instant`: a whole second, a whole day, never inside an hour that is shown twice. */
  floor(instant: Micros): Micros;
  /** A boundary as text or integer for the warehouse. */
  bound(boundary: Micros): BoundValue;
  /** undefined for NULL and for what has no place on a time line, such as infinity. */
  instantOf(cell: Cell): Micros | undefined;
}

export interface IteratorDeclaration {
  readonly field: string;
  readonly type: IteratorType;
  /** IANA name; of zone-less columns and of whole days. */
  readonly zone: string;
}

const MICROS_PER_UNIT = { timestamp_unixtime_s: 1_000_000n, timestamp_unixtime_ms: 1000n } as const;
const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'double', 'unknown'];

/**
 * Picks the axis by the column's own type: a bound with a zone against a column without one would be converted by the
 * session's zone in some warehouses. Throws MODEL_INVALID when column and declaration do not go together.
 */
export function iteratorAxis(declared: IteratorDeclaration, column: Column): IteratorAxis {
  const zone = createZone(declared.zone);
  const { type } = declared;
  if (type === 'timestamp_unixtime_s' || type === 'timestamp_unixtime_ms') {
    if (!NUMBERS.includes(column.type)) throw misfit(declared, column, 'a number');
    return unixAxis(type);
  }
  const wholeDays = type === 'date';
  switch (column.type === 'unknown' ? columnTypeOf(type) : column.type) {
    case 'date':
      return dateAxis(zone);
    case 'timestamp':
      return wallAxis(zone, wholeDays);
    case 'timestamp_tz':
      return instantAxis(zone, { wholeDays, boundType: type === 'timestamp_ltz' ? type : 'timestamp_tz' });
    default:
      throw misfit(declared, column, 'a date or timestamp');
  }
}

function columnTypeOf(type: IteratorType): ColumnType {
  if (type === 'date') return 'date';
  return type === 'timestamp_tz' || type === 'timestamp_ltz' ? 'timestamp_tz' : 'timestamp';
}

function misfit(declared: IteratorDeclaration, column: Column, wanted: string): AppError {
  return new AppError(
    'MODEL_INVALID',
    `The iterator column "${column.name}" is of type ${column.nativeType}, but iterator_data_type ` +
      `"${declared.type}" needs ${wanted}. Change iterator_data_type, or cast the column in the model.`,
  );
}

function unixAxis(type: keyof typeof MICROS_PER_UNIT): IteratorAxis {
  const unit = MICROS_PER_UNIT[type];
  return {
    boundType: type,
    floor: (instant) => floorDivide(instant, unit) * unit,
    bound: (boundary) => floorDivide(boundary, unit),
    instantOf(cell) {
      if (typeof cell === 'bigint') return cell * unit;
      const value = typeof cell === 'string' ? Number(cell) : cell;
      if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
      return Number.isInteger(value) ? BigInt(value) * unit : BigInt(Math.floor(value * Number(unit)));
    },
  };
}

function dateAxis(zone: Zone): IteratorAxis {
  return {
    boundType: 'date',
    floor: zone.startOfDay,
    bound: zone.dateOf,
    instantOf: (cell) => (typeof cell === 'string' ? zone.startOfDate(cell) : undefined),
  };
}

function wallAxis(zone: Zone, wholeDays: boolean): IteratorAxis {
  return {
    boundType: 'timestamp_ntz',
    floor: wholeDays ? zone.startOfDay : zone.beforeFold,
    // where midnight is skipped the day begins later, but its rows still begin at 00:00 of the column
    bound: wholeDays ? (boundary) => `${zone.dateOf(boundary)}T00:00:00.000000` : zone.wallOf,
    instantOf: (cell) => (typeof cell === 'string' ? zone.instantOf(cell) : undefined),
  };
}

function instantAxis(zone: Zone, form: { wholeDays: boolean; boundType: IteratorType }): IteratorAxis {
  return {
    boundType: form.boundType,
    floor: form.wholeDays ? zone.startOfDay : (instant) => instant,
    bound: (boundary) => formatMicros(boundary).replace('Z', '+00:00'),
    instantOf: (cell) => (typeof cell === 'string' ? utcMicros(cell) : undefined),
  };
}

function floorDivide(value: bigint, unit: bigint): bigint {
  const rest = value % unit;
  return (value - (rest < 0n ? rest + unit : rest)) / unit;
}
