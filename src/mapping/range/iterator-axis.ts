import { AppError, field, formatMicros, isInstant, type Micros, nearestInstant, say } from '../../kernel/index.ts';
import type { BoundValue, Cell, Column, ColumnType, IteratorType } from '../../warehouse/index.ts';
import { createZone, floorDivide, utcMicros, type Zone } from './wall-clock.ts';

/**
 * The iterator column as a time line: where a boundary may lie, how the warehouse writes it, and which instant a cell means.
 * Three things determine it: the declared type, the column's own type, and the declared zone.
 */
export interface IteratorAxis {
  /** The type to which the dialect casts a bound. */
  readonly boundType: IteratorType;
  /**
   * Returns the newest boundary at or before `instant`: a whole second, a whole day, never inside an hour that is shown twice.
   */
  floor(instant: Micros): Micros;
  /**
   * Returns a boundary as text or integer for the warehouse. Returns undefined where every value of the column lies before it.
   */
  bound(boundary: Micros): BoundValue | undefined;
  /** Returns the instant of a cell. Returns undefined for NULL and for values outside the years 1 to 9999, such as infinity. */
  instantOf(cell: Cell): Micros | undefined;
}

export interface IteratorDeclaration {
  readonly field: string;
  readonly type: IteratorType;
  /** IANA name; applies to columns without a zone and to whole days. */
  readonly zone: string;
}

const MICROS_PER_UNIT = { timestamp_unixtime_s: 1_000_000n, timestamp_unixtime_ms: 1000n } as const;
const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'double', 'unknown'];

/**
 * Picks the axis by the column's own type. In some warehouses the session's zone would convert a bound with a zone for a column
 * without one. Throws MODEL_INVALID when column and declaration do not match.
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

const TYPE = field('iterator_data_type');

function misfit(declared: IteratorDeclaration, column: Column, wanted: string): AppError {
  return new AppError(
    'MODEL_INVALID',
    say`The iterator column "${column.name}" is of type ${column.nativeType}, but ${TYPE} "${declared.type}" needs ${wanted}. Change ${TYPE}, or cast the column in the model.`,
  );
}

function unixAxis(type: keyof typeof MICROS_PER_UNIT): IteratorAxis {
  const unit = MICROS_PER_UNIT[type];
  return {
    boundType: type,
    floor: floorBy((instant) => floorDivide(instant, unit) * unit),
    bound: (boundary) => floorDivide(boundary, unit),
    instantOf(cell) {
      const instant = unixInstant(cell, unit);
      return instant !== undefined && isInstant(instant) ? instant : undefined;
    },
  };
}

function unixInstant(cell: Cell, unit: bigint): bigint | undefined {
  if (typeof cell === 'bigint') return cell * unit;
  const value = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : cell;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) ? BigInt(value) * unit : BigInt(Math.floor(value * Number(unit)));
}

function dateAxis(zone: Zone): IteratorAxis {
  return {
    boundType: 'date',
    floor: floorBy(zone.startOfDay),
    bound: (boundary) => inFourDigits(zone.dateOf(boundary)),
    instantOf: (cell) => (typeof cell === 'string' ? nearest(zone.startOfDate(cell)) : undefined),
  };
}

function wallAxis(zone: Zone, wholeDays: boolean): IteratorAxis {
  return {
    boundType: 'timestamp_ntz',
    floor: floorBy(wholeDays ? zone.startOfDay : zone.beforeFold),
    bound(boundary) {
      if (!wholeDays) return inFourDigits(zone.wallOf(boundary));
      // where midnight is skipped the day begins later, but its rows still begin at 00:00 in the column
      return inFourDigits(`${zone.dateOf(boundary)}T00:00:00.000000`);
    },
    instantOf: (cell) => (typeof cell === 'string' ? nearest(zone.instantOf(cell)) : undefined),
  };
}

// The years 1 to 9999 of UTC begin and end some hours before or after those of another zone. A wall time in these hours is
// moved to the end of the time line.

const nearest = (instant: Micros | undefined) => (instant === undefined ? undefined : nearestInstant(instant));

/** Limits a floor to instants that the store can hold. */
function floorBy(floor: (instant: Micros) => Micros): (instant: Micros) => Micros {
  return (instant) => nearestInstant(floor(nearestInstant(instant)));
}

const FIRST_WALL = '0001-01-01T00:00:00.000000';

/** Returns a text whose year has four digits. No warehouse reads the year 0, or one of five digits. */
function inFourDigits(text: string): string | undefined {
  if (text.startsWith('0000')) return FIRST_WALL.slice(0, text.length);
  return text.startsWith('+') ? undefined : text;
}

function instantAxis(zone: Zone, form: { wholeDays: boolean; boundType: IteratorType }): IteratorAxis {
  return {
    boundType: form.boundType,
    floor: form.wholeDays ? floorBy(zone.startOfDay) : nearestInstant,
    bound: (boundary) => formatMicros(boundary).replace('Z', '+00:00'),
    instantOf: (cell) => (typeof cell === 'string' ? utcMicros(cell) : undefined),
  };
}
