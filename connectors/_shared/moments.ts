// Days and times of day as text, exact to the nanosecond. A JavaScript Date has only milliseconds and 8,640,000 years. Each day
// and second of the day is written once and then looked up, because a warehouse column repeats them.

const MOST_DAYS = 50_000;
const SECONDS_PER_DAY = 86_400;

const dayTexts = new Map<number, string>();
const secondTexts: (string | undefined)[] = new Array(SECONDS_PER_DAY + 1);
const THREE_DIGITS = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));

/**
 * Returns `2024-01-31` for the days since 1970. Years outside 0–9999 have a sign and six digits, and year 0 is 1 BC (ISO 8601).
 */
export function dayText(days: number): string {
  const known = dayTexts.get(days);
  if (known !== undefined) return known;
  if (dayTexts.size >= MOST_DAYS) dayTexts.clear();
  const text = writeDay(days);
  dayTexts.set(days, text);
  return text;
}

/** Returns `23:59:59.000001` for the microseconds since midnight; 24:00:00 is a valid time. */
export function timeText(micros: number): string {
  const second = Math.floor(micros / 1e6);
  const rest = micros - second * 1e6;
  const ms = Math.floor(rest / 1000);
  return `${secondText(second)}.${THREE_DIGITS[ms]}${THREE_DIGITS[rest - ms * 1000]}`;
}

/** Returns the three digits below a microsecond, or nothing where they are zero: all other times have six digits. */
export function nanosText(nanos: number): string {
  return nanos === 0 ? '' : (THREE_DIGITS[nanos] ?? '');
}

/** Length of `2024-01-31T23:59:59.000001`. */
export const MOMENT_CHARS = 26;
const MICROS_PER_DAY = 86_400e6;

/**
 * Writes the moment at `at`. Returns false and writes nothing where the number is not exact or the year has not four digits.
 */
export function writeMoment(bytes: Uint8Array, at: number, micros: number): boolean {
  if (!Number.isSafeInteger(micros)) return false;
  const days = Math.floor(micros / MICROS_PER_DAY);
  const day = dayText(days);
  if (day.length !== 10) return false;
  const rest = micros - days * MICROS_PER_DAY;
  const second = Math.floor(rest / 1e6);
  const fraction = rest - second * 1e6;
  const time = secondText(second);
  for (let index = 0; index < 10; index++) bytes[at + index] = day.charCodeAt(index);
  bytes[at + 10] = LETTER_T;
  for (let index = 0; index < 8; index++) bytes[at + 11 + index] = time.charCodeAt(index);
  bytes[at + 19] = POINT;
  writeDigits(bytes, at + 20, Math.floor(fraction / 1000));
  writeDigits(bytes, at + 23, fraction % 1000);
  return true;
}

const [LETTER_T, POINT, ZERO] = [84, 46, 48];

function writeDigits(bytes: Uint8Array, at: number, thousand: number): void {
  const hundreds = (thousand / 100) | 0;
  const tens = ((thousand - hundreds * 100) / 10) | 0;
  bytes[at] = ZERO + hundreds;
  bytes[at + 1] = ZERO + tens;
  bytes[at + 2] = ZERO + thousand - hundreds * 100 - tens * 10;
}

function secondText(second: number): string {
  const known = secondTexts[second];
  if (known !== undefined) return known;
  const minutes = Math.floor(second / 60);
  const text = [Math.floor(minutes / 60), minutes % 60, second % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
  secondTexts[second] = text;
  return text;
}

/** Returns the civil date of a day number, for any year (Howard Hinnant's algorithm). */
function writeDay(days: number): string {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${yearText(year)}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}
