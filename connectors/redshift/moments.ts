// PostgreSQL's texts of days and times as cells, under DateStyle ISO and the zone UTC. None becomes a JavaScript Date.
import { AppError } from '../../src/kernel/index.ts';

const INFINITE = new Set(['infinity', '-infinity']);
const WHOLE = '.000000';
const SHORT = 'YYYY-MM-DD HH:MM:SS'.length;
const FULL = SHORT + WHOLE.length;
const [DASH, COLON, SPACE, NINE] = [45, 58, 32, 57];

/** Returns a date: `2024-02-29`, or the longer form of a year with more than four digits or before Christ. */
export function date(text: string): string {
  return text.length === 10 && text.charCodeAt(4) === DASH && text.charCodeAt(7) === DASH ? text : farDate(text);
}

/** Converts `2024-01-01 01:02:03.5` → `2024-01-01T01:02:03.500000`. */
export function timestamp(text: string): string {
  if (isPlain(text, text.length)) return `${text.slice(0, 10)}T${padFraction(text.slice(11))}`;
  return farTimestamp(text, '');
}

/** Converts a timestamp with `+00` at its end, which becomes `Z`. */
export function timestampTz(text: string): string {
  const end = text.length - 3;
  if (text.endsWith('+00') && isPlain(text, end)) return `${text.slice(0, 10)}T${padFraction(text.slice(11, end))}Z`;
  return farTimestamp(text, 'Z');
}

/** Converts `23:59:59.5` → `23:59:59.500000`. */
export function time(text: string): string {
  return padFraction(text);
}

/** Converts `01:02:03.5-02:30` → `01:02:03.500000-02:30`. */
export function timeTz(text: string): string {
  const zone = text.slice(8).search(/[+-]/) + 8;
  const offset = text.slice(zone);
  return `${padFraction(text.slice(0, zone))}${offset.length === 3 ? `${offset}:00` : offset}`;
}

function isPlain(text: string, end: number): boolean {
  return (
    end >= SHORT &&
    end <= FULL &&
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(10) === SPACE &&
    text.charCodeAt(13) === COLON &&
    // no letter of an era
    text.charCodeAt(end - 1) <= NINE
  );
}

/** Pads the fraction to six digits, because the server leaves trailing zeros out. */
function padFraction(clock: string): string {
  if (clock.length === 15) return clock;
  return clock.length === 8 ? clock + WHOLE : clock.padEnd(15, '0');
}

const FAR = /^(\d{4,7})-(\d\d-\d\d)(?: (\d\d:\d\d:\d\d(?:\.\d{1,6})?))?(?:\+00)?( BC)?$/;

function farDate(text: string): string {
  if (INFINITE.has(text)) return text;
  const match = FAR.exec(text);
  if (match === null) throw unread(text);
  return `${yearText(match)}-${match[2]}`;
}

function farTimestamp(text: string, suffix: '' | 'Z'): string {
  if (INFINITE.has(text)) return text;
  const match = FAR.exec(text);
  const clock = match?.[3];
  if (match === null || clock === undefined) throw unread(text);
  return `${yearText(match)}-${match[2]}T${padFraction(clock)}${suffix}`;
}

/** Writes a year: outside 0–9999 it has a sign and six digits, and year 0 is 1 BC (ISO 8601). */
function yearText([, digits, , , era]: RegExpExecArray): string {
  const year = era === undefined ? Number(digits) : 1 - Number(digits);
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}

/** Returns the error for a time in another format: a model can call set_config, after which texts of times mislead. */
function unread(text: string): AppError {
  return new AppError(
    'WAREHOUSE_DATA',
    `The warehouse returned the time "${text}": the model changes TimeZone or DateStyle of its session, which is not allowed.`,
  );
}
