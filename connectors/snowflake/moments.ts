// Snowflake's texts of days and times as cells: days since 1970, and seconds with a signed fraction of up to nine digits. These
// texts are the same in every zone and under every output format.
import { AppError } from '../../src/kernel/index.ts';
import { dayText, nanosText, timeText } from '../_shared/moments.ts';

const SECONDS_PER_DAY = 86_400;
const BILLION = 1e9;

/** Converts `19782` → `2024-02-29`. */
export function date(text: string): string {
  return dayText(Number(text));
}

/** Converts `45296.123456000` → `12:34:56.123456`. */
export function time(text: string): string {
  const { seconds, nanos } = parts(text);
  return clockText(seconds, nanos);
}

/** Converts `1704067200.000001000` → `2024-01-01T00:00:00.000001`. */
export function timestamp(text: string): string {
  const { seconds, nanos } = parts(text);
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  return `${dayText(days)}T${clockText(seconds - days * SECONDS_PER_DAY, nanos)}`;
}

/**
 * Converts a timestamp with an optional offset after it, minutes + 1440.
 * The offset is dropped: an instant is the same in every zone.
 */
export function timestampTz(text: string): string {
  const space = text.indexOf(' ');
  return `${timestamp(space < 0 ? text : text.slice(0, space))}Z`;
}

function clockText(second: number, nanos: number): string {
  const micros = Math.floor(nanos / 1000);
  return timeText(second * 1e6 + micros) + nanosText(nanos - micros * 1000);
}

interface Moment {
  /** Whole seconds, rounded toward the past. */
  readonly seconds: number;
  /** Nanoseconds after that, 0 to 999,999,999. */
  readonly nanos: number;
}

const MOMENT = /^(-?)(\d+)(?:\.(\d{1,9}))?$/;

function parts(text: string): Moment {
  const match = MOMENT.exec(text);
  if (match === null) {
    throw new AppError('WAREHOUSE_DATA', `The warehouse returned "${text.slice(0, 80)}", which is not a valid time.`);
  }
  const [, sign, whole, fraction = ''] = match;
  const seconds = Number(whole);
  const nanos = Number(fraction.padEnd(9, '0'));
  if (sign === '') return { seconds, nanos };
  return nanos === 0 ? { seconds: -seconds, nanos } : { seconds: -seconds - 1, nanos: BILLION - nanos };
}
