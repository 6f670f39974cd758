// Values that the server writes as text: nested ones, and all results that do not come as Arrow. Times are in UTC.
import { AppError } from '../../../src/kernel/index.ts';
import type { Cell, ColumnType } from '../../../src/warehouse/index.ts';
import { integer } from '../../_shared/integer.ts';

export type ReadText = (text: string) => Cell;

const READERS: Readonly<Partial<Record<ColumnType, ReadText>>> = {
  boolean: (text) => text === 'true',
  integer,
  decimal: plainDecimal,
  double: Number,
  date,
  time: (text) => padFraction(text),
  timestamp: (text) => moment(text, ''),
  timestamp_tz: (text) => moment(text, 'Z'),
};

/** Returns a reader, or undefined where the text is the cell. */
export function textReader(type: ColumnType): ReadText | undefined {
  return READERS[type];
}

const EXPONENT = /^(-?)(\d+)(?:\.(\d+))?E([+-]?\d+)$/i;

/** Writes a decimal with all digits and all places of its type; without ANSI mode a small one arrives as `0E-18`. */
function plainDecimal(text: string): string {
  const match = EXPONENT.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const DAY = /^([+-]?)(\d{4,7})-(\d\d-\d\d)$/;

function date(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const [, sign = '', year = '', rest = ''] = DAY.exec(text) ?? [];
  if (rest === '') throw unread(text);
  return year.length === 4 && sign !== '-'
    ? `${year}-${rest}`
    : `${sign === '-' ? '-' : '+'}${year.padStart(6, '0')}-${rest}`;
}

/** Converts `2024-01-01 01:02:03.5` → `2024-01-01T01:02:03.500000`. */
function moment(text: string, suffix: '' | 'Z'): string {
  const [day = '', clock = '', ...rest] = text.split(/[ T]/);
  if (rest.length > 0 || !/^\d\d:\d\d:\d\d(?:\.\d{1,6})?$/.test(clock)) throw unread(text);
  return `${date(day)}T${padFraction(clock)}${suffix}`;
}

function padFraction(clock: string): string {
  const [seconds = '', fraction = ''] = clock.split('.');
  return `${seconds}.${fraction.padEnd(6, '0')}`;
}

function unread(text: string): AppError {
  return new AppError('WAREHOUSE_DATA', `The warehouse returned the time "${text}", which cannot be read.`);
}

/** Returns the shortest decimal that means the same 32-bit FLOAT, as every product prints it (0.1, not 0.10000000149). */
export function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number.isFinite(value) ? Number(value.toPrecision(9)) : value;
}
