// The times at which attributes were set, kept small: `{"": micros}` for the usual profile whose attributes all came at once,
// plus one entry for each attribute that came at another time, and for each that was removed.
import { endOfValue, keyText, nameOfKey, readObjectText, writeObjectText } from './attribute-text.ts';

/** Microseconds since 1970: a number where it is safe, which is cheap; bigint for times beyond the year 2255. */
export type Time = number | bigint;

const DEFAULT_KEY = '"":';
// An attribute may be named "" too: names of blanks alone get one blank more here.
const BLANK_KEY = /^" *":$/;
const toTimesKey = (key: string): string => (isBlank(key) ? `" ${key.slice(1)}` : key);
/** Tests the first character before the pattern: it decides for almost all names. */
const isBlank = (key: string): boolean => (key.startsWith('" ') || key.startsWith('"":')) && BLANK_KEY.test(key);
const fromTimesKey = (key: string): string => (BLANK_KEY.test(key) ? `"${key.slice(2)}` : key);

/** Returns the name of an attribute in the times, for statements that look into them. */
export function timesNameOf(name: string): string {
  return nameOfKey(toTimesKey(keyText(name)));
}

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

export interface Times {
  /** Time of the attributes that `own` does not name. */
  readonly byDefault: Time | undefined;
  /** Times by key text; a key that has no value was removed then. */
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

/** Writes times as text. Attributes that have a value and the default time need no entry of their own. */
export function writeTimes(times: Times): string {
  const entries: [string, string][] = [];
  if (times.byDefault !== undefined) entries.push([DEFAULT_KEY, String(times.byDefault)]);
  for (const [key, time] of times.own) entries.push([toTimesKey(key), String(time)]);
  return writeObjectText(entries);
}

/** Returns the time that stands alone in the text, as for most profiles. */
function timeOfAll(text: string): Time | undefined {
  const from = 1 + DEFAULT_KEY.length;
  return text.startsWith(DEFAULT_KEY, 1) && !text.includes(',', from) ? readTime(text.slice(from, -1)) : undefined;
}

export interface TimesInOrder {
  readonly byDefault: Time | undefined;
  /** One time for each key. */
  readonly times: Time[];
}

/**
 * Returns the times of the attributes `keys`, without a map. Returns undefined where the text names anything else (an attribute
 * that was removed) or has another order.
 */
export function timesInOrder(text: string, keys: readonly string[]): TimesInOrder | undefined {
  const all = timeOfAll(text);
  if (all !== undefined) return { byDefault: all, times: keys.map(() => all) };
  let at = 1;
  const readAt = (key: string): Time | undefined => {
    if (!text.startsWith(key, at)) return undefined;
    const end = endOfValue(text, at + key.length);
    const time = readTime(text.slice(at + key.length, end));
    at = end + 1;
    return time;
  };
  const byDefault = readAt(DEFAULT_KEY);
  const times: Time[] = [];
  for (const key of keys) {
    const time = readAt(toTimesKey(key)) ?? byDefault;
    if (time === undefined) return undefined;
    times.push(time);
  }
  return at === text.length ? { byDefault, times } : undefined;
}

/** Formats `times`, one a key. The default is whichever of two times spares more entries. */
export function timesInOrderText(
  keys: readonly string[],
  times: readonly Time[],
  [one, other = one]: readonly [Time, Time | undefined],
): string {
  const shareOf = (wanted: Time) => times.filter((time) => time === wanted).length;
  const byDefault = shareOf(one) >= shareOf(other) ? one : other;
  const oneText = String(one);
  let text = `{"":${byDefault}`;
  for (let i = 0; i < keys.length; i++) {
    const time = times[i];
    if (time !== byDefault) text += `,${toTimesKey(keys[i] as string)}${time === one ? oneText : time}`;
  }
  return `${text}}`;
}
