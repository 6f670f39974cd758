import { Temporal } from 'temporal-polyfill';
import { formatMicros, type Micros } from '../../kernel/index.ts';

// Columns without a zone hold wall times. Twice a year a wall clock jumps: a *gap* is skipped, a *fold* is shown twice.
// Everything here is pure; the zone data come with Node.

const NANOS_PER_MICRO = 1000n;
const QUARTER_MICROS = 900_000_000n;
const WALL_DIGITS = 26;
/** The calendar repeats after 400 years. */
const FOUR_CENTURIES_MS = 146_097 * 86_400_000;

/** A time zone as the planner and the mapper need it. */
export interface Zone {
  readonly name: string;
  /** Returns the wall time of an instant in the zone, as `YYYY-MM-DDTHH:MM:SS.ffffff`. */
  wallOf(instant: Micros): string;
  /** Returns the date of an instant in the zone, as `YYYY-MM-DD`. */
  dateOf(instant: Micros): string;
  /** Returns the first instant of the day that contains `instant`. */
  startOfDay(instant: Micros): Micros;
  /** Returns the first instant of the day `YYYY-MM-DD`. Returns undefined where the text is no date. */
  startOfDate(date: string): Micros | undefined;
  /** Returns `instant`. Where its wall time is shown twice, returns the instant at which the repeated time first begins. */
  beforeFold(instant: Micros): Micros;
  /**
   * Returns the instant of a wall time: the first of two in a fold, moved forward out of a gap. Returns undefined where the
   * text is no wall time.
   */
  instantOf(wall: string): Micros | undefined;
}

/** Creates a zone. Throws RangeError for a name that is no IANA zone. */
export function createZone(name: string): Zone {
  if (/^(utc|etc\/utc|z)$/i.test(name)) return UTC;
  const at = (instant: Micros) =>
    Temporal.Instant.fromEpochNanoseconds(instant * NANOS_PER_MICRO).toZonedDateTimeISO(name);
  at(0n);
  return {
    name,
    wallOf: (instant) => at(instant).toPlainDateTime().toString({ fractionalSecondDigits: 6 }),
    dateOf: (instant) => at(instant).toPlainDate().toString(),
    startOfDay: (instant) => microsOf(at(instant).startOfDay()),
    startOfDate: (date) => startOfDate(date, name),
    beforeFold: (instant) => beforeFold(at(instant)),
    instantOf: wallReader(name),
  };
}

const UTC: Zone = {
  name: 'UTC',
  wallOf: (instant) => formatMicros(instant).slice(0, -1),
  dateOf: (instant) => formatMicros(instant).slice(0, 10),
  startOfDay: (instant) => utcMicros(`${formatMicros(instant).slice(0, 10)}T00:00:00.000000`) ?? instant,
  startOfDate: (date) => (date.length === 10 ? utcMicros(`${date}T00:00:00.000000`) : undefined),
  beforeFold: (instant) => instant,
  instantOf: utcMicros,
};

/**
 * Returns the micros of `YYYY-MM-DDTHH:MM:SS.ffffff` read as UTC, of the years 1 to 9999. Returns undefined for any other text.
 * Written by hand, because it runs once for each row: 0.1 µs against 0.5 µs for a pattern and Date.parse.
 */
export function utcMicros(text: string): Micros | undefined {
  if (text.length < WALL_DIGITS || text.charCodeAt(4) !== 45) return undefined;
  const year = digits(text, 0, 4);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999
  const isEarly = year < 100;
  const later = Date.UTC(
    isEarly ? year + 400 : year,
    digits(text, 5, 2) - 1,
    digits(text, 8, 2),
    digits(text, 11, 2),
    digits(text, 14, 2),
    digits(text, 17, 2),
  );
  const ms = isEarly ? later - FOUR_CENTURIES_MS : later;
  const micros = digits(text, 20, 6);
  if (Number.isNaN(ms + micros) || year === 0) return undefined;
  const whole = ms * 1000 + micros;
  return Number.isSafeInteger(whole) ? BigInt(whole) : BigInt(ms) * 1000n + BigInt(micros);
}

function digits(text: string, from: number, count: number): number {
  let value = 0;
  for (let index = from; index < from + count; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function microsOf(time: Temporal.ZonedDateTime): Micros {
  return time.epochNanoseconds / NANOS_PER_MICRO;
}

function startOfDate(date: string, zone: string): Micros | undefined {
  if (date.length !== 10 || date.startsWith('0000')) return undefined;
  try {
    return microsOf(Temporal.PlainDate.from(date).toZonedDateTime(zone));
  } catch {
    return undefined;
  }
}

function beforeFold(time: Temporal.ZonedDateTime): Micros {
  const wall = time.toPlainDateTime();
  const first = wall.toZonedDateTime(time.timeZoneId, { disambiguation: 'earlier' });
  const second = wall.toZonedDateTime(time.timeZoneId, { disambiguation: 'later' });
  const doubled = second.epochNanoseconds - first.epochNanoseconds;
  if (doubled === 0n) return microsOf(time);
  // the clock goes back at the last transition at or before the second showing; the repeated time begins `doubled` before it
  const back = second.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  if (back === null) return microsOf(first);
  return (back.epochNanoseconds - doubled) / NANOS_PER_MICRO;
}

/**
 * Returns a reader of wall times. It looks up offsets once for each quarter of an hour: the library takes 10 µs, and a chunk
 * has thousands of rows.
 */
function wallReader(zone: string): (wall: string) => Micros | undefined {
  const offsets = new Map<bigint, Micros | null>();
  return (wall) => {
    const asUtc = utcMicros(wall);
    if (asUtc === undefined) return undefined;
    const quarter = floorDivide(asUtc, QUARTER_MICROS);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const begin = quarter * QUARTER_MICROS;
      offset = sameOffset(exactOffset(begin, zone), exactOffset(begin + QUARTER_MICROS - 1n, zone));
      offsets.set(quarter, offset);
    }
    return asUtc - (offset ?? exactOffset(asUtc, zone));
  };
}

function sameOffset(atBegin: Micros, atEnd: Micros): Micros | null {
  return atBegin === atEnd ? atBegin : null;
}

function exactOffset(wallAsUtc: Micros, zone: string): Micros {
  const wall = Temporal.PlainDateTime.from(UTC.wallOf(wallAsUtc));
  return wallAsUtc - microsOf(wall.toZonedDateTime(zone, { disambiguation: 'compatible' }));
}

/** Divides and rounds down; `/` of bigints rounds toward zero. */
export function floorDivide(value: bigint, unit: bigint): bigint {
  const rest = value % unit;
  return (value - (rest < 0n ? rest + unit : rest)) / unit;
}
