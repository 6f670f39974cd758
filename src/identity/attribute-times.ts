// When each attribute was set, kept small: `{"": micros}` for the usual profile whose attributes all came at once, plus
// one entry for each attribute that came at another time, and for each that was removed.
import { readObjectText, writeObjectText } from './attribute-text.ts';

/** Microseconds since 1970: a number where it is safe, which is cheap; bigint for times beyond the year 2255. */
export type Time = number | bigint;

const DEFAULT_KEY = '"":';
// An attribute may be named "" too: names of blanks alone get one blank more here.
const BLANK_KEY = /^" *":$/;
const toTimesKey = (key: string): string => (BLANK_KEY.test(key) ? `" ${key.slice(1)}` : key);
const fromTimesKey = (key: string): string => (BLANK_KEY.test(key) ? `"${key.slice(2)}` : key);

const ONLY_DEFAULT = /^\{"":(-?\d+)\}$/;

export function timeOf(micros: bigint): Time {
  const time = Number(micros);
  return Number.isSafeInteger(time) ? time : micros;
}

function readTime(text: string): Time {
  const time = Number(text);
  return Number.isSafeInteger(time) ? time : BigInt(text);
}

/** Times text of a profile whose attributes all have the same time. */
export function timesTextOf(time: Time): string {
  return `{"":${time}}`;
}

/** The one time of all attributes; undefined where they differ, some were removed, or there are none. */
export function onlyTime(text: string): Time | undefined {
  const match = ONLY_DEFAULT.exec(text);
  return match?.[1] === undefined ? undefined : readTime(match[1]);
}

export interface Times {
  /** Of the attributes that `own` does not name. */
  readonly byDefault: Time | undefined;
  /** By key text; a key that has no value was removed then. */
  readonly own: ReadonlyMap<string, Time>;
}

export function readTimes(text: string): Times {
  const own = new Map<string, Time>();
  let byDefault: Time | undefined;
  for (const [key, value] of readObjectText(text)) {
    if (key === DEFAULT_KEY) byDefault = readTime(value);
    else own.set(fromTimesKey(key), readTime(value));
  }
  return { byDefault, own };
}

/** Entries that have a value and the default time need none of their own. */
export function writeTimes(times: Times): string {
  const entries: [string, string][] = [];
  if (times.byDefault !== undefined) entries.push([DEFAULT_KEY, String(times.byDefault)]);
  for (const [key, time] of times.own) entries.push([toTimesKey(key), String(time)]);
  return writeObjectText(entries);
}
