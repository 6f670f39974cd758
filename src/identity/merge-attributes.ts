// Last writer wins by time, attribute by attribute, in whatever order the writes arrive (rulings §3).
import { type Columns, endOfValue, readObjectText, writeObjectText } from './attribute-text.ts';
import { onlyTime, readTimes, type Time, timesTextOf, writeTimes } from './attribute-times.ts';

/** Attributes of a profile as they are kept: object text and times text. */
export interface KeptAttributes {
  readonly attributes: string;
  readonly times: string;
}

/** One row's attributes. */
export interface AttributeRow {
  readonly columns: Columns;
  readonly texts: readonly (string | null | undefined)[];
  /** `objectText(columns, texts)`, which the row's hash needed already. */
  readonly text: string;
  readonly setAt: Time;
}

export interface Merged extends KeptAttributes {
  /** Whether anything differs from before, times included. */
  readonly changed: boolean;
  /** Whether every value of the row is what the profile holds now: none lost against a later one. */
  readonly prevailed: boolean;
}

export const NO_ATTRIBUTES: KeptAttributes = { attributes: '{}', times: '{}' };

/**
 * Merges a row into what is kept. At equal times the row wins: it was delivered later. `full` says nothing about when a
 * value was set, so a value that is there already keeps its time (rulings §3).
 */
export function mergeAttributes(kept: KeptAttributes, row: AttributeRow, mode: 'full' | 'incremental'): Merged {
  const quick = mode === 'incremental' ? replaceAll(kept, row) : keepAll(kept, row);
  return quick ?? mergeOneByOne(kept, row, mode);
}

/** The usual case of an incremental row: it brings every attribute there is, and all of them later. */
function replaceAll(kept: KeptAttributes, row: AttributeRow): Merged | undefined {
  if (row.texts.includes(null)) return undefined;
  if (kept.times === NO_ATTRIBUTES.times) return firstAttributes(kept, row);
  const time = onlyTime(kept.times);
  if (time === undefined || row.setAt < time) return undefined;
  const comparison = compareText(kept.attributes, row);
  if (comparison === 'other names') return undefined;
  if (comparison === 'equal' && row.setAt === time) return { ...kept, changed: false, prevailed: true };
  return { attributes: row.text, times: timesTextOf(row.setAt), changed: true, prevailed: true };
}

/** The usual cases of a full row: the profile is new, or the row brings what is there already. */
function keepAll(kept: KeptAttributes, row: AttributeRow): Merged | undefined {
  if (row.texts.includes(null)) return undefined;
  if (kept.times === NO_ATTRIBUTES.times) return firstAttributes(kept, row);
  if (compareText(kept.attributes, row) !== 'equal') return undefined;
  return { ...kept, changed: false, prevailed: true };
}

function firstAttributes(kept: KeptAttributes, row: AttributeRow): Merged {
  if (row.text === NO_ATTRIBUTES.attributes) return { ...kept, changed: false, prevailed: true };
  return { attributes: row.text, times: timesTextOf(row.setAt), changed: true, prevailed: true };
}

/** Compares an object text with a row, provided that both have the same names in the same order. */
function compareText(attributes: string, { columns, texts }: AttributeRow): 'equal' | 'other values' | 'other names' {
  let equal = true;
  let at = 1;
  for (let i = 0; i < columns.keys.length; i++) {
    const value = texts[i];
    const key = columns.keys[i];
    if (value === undefined || value === null || key === undefined) continue;
    if (!attributes.startsWith(key, at)) return 'other names';
    const valueAt = at + key.length;
    const end = endOfValue(attributes, valueAt);
    if (equal) equal = end - valueAt === value.length && attributes.startsWith(value, valueAt);
    at = end + 1;
  }
  if (at < attributes.length) return 'other names';
  return equal ? 'equal' : 'other values';
}

interface Loaded {
  readonly values: Map<string, string>;
  /** When each was set or removed. */
  readonly setAt: Map<string, Time>;
}

function load(kept: KeptAttributes): Loaded {
  const values = readObjectText(kept.attributes);
  const times = readTimes(kept.times);
  const setAt = new Map(times.own);
  for (const key of values.keys()) {
    if (!setAt.has(key) && times.byDefault !== undefined) setAt.set(key, times.byDefault);
  }
  return { values, setAt };
}

function mergeOneByOne(kept: KeptAttributes, row: AttributeRow, mode: 'full' | 'incremental'): Merged {
  const loaded = load(kept);
  let changed = false;
  let prevailed = true;
  for (let i = 0; i < row.columns.keys.length; i++) {
    const key = row.columns.keys[i];
    const value = row.texts[i];
    if (key === undefined || value === undefined) continue;
    const outcome = settle(loaded, [key, value], { setAt: row.setAt, keepsTime: mode === 'full' });
    if (outcome === 'set') changed = true;
    if (outcome === 'lost') prevailed = false;
  }
  if (!changed) return { ...kept, changed, prevailed };
  const { values, setAt } = loaded;
  return { attributes: writeObjectText(values), times: compactTimes(values, setAt, row.setAt), changed, prevailed };
}

/** Decides one attribute: set (or removed), the same as before, or lost against a later write. */
function settle(
  { values, setAt }: Loaded,
  [key, value]: readonly [string, string | null],
  row: { readonly setAt: Time; readonly keepsTime: boolean },
): 'set' | 'same' | 'lost' {
  const before = setAt.get(key);
  if (before !== undefined) {
    const isThere = values.get(key) === (value ?? undefined);
    if (isThere && (row.keepsTime || before >= row.setAt)) return 'same';
    if (before > row.setAt) return 'lost';
  }
  setAt.set(key, row.setAt);
  if (value === null) values.delete(key);
  else values.set(key, value);
  return 'set';
}

/** Writes the times with the default that spares most entries: the row's time, or the time most of the others share. */
function compactTimes(values: ReadonlyMap<string, string>, setAt: ReadonlyMap<string, Time>, rowTime: Time): string {
  const shares = new Map<Time, number>([[rowTime, 0]]);
  for (const key of values.keys()) {
    const time = setAt.get(key) ?? rowTime;
    shares.set(time, (shares.get(time) ?? 0) + 1);
  }
  let byDefault = rowTime;
  for (const [time, share] of shares) if (share > (shares.get(byDefault) ?? 0)) byDefault = time;
  const own = new Map([...setAt].filter(([key, time]) => time !== byDefault || !values.has(key)));
  return writeTimes({ byDefault: values.size === 0 ? undefined : byDefault, own });
}
