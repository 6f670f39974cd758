// Merges attributes one by one: the last writer wins by time, in whatever order the writes arrive (D-044).
import { type Columns, endOfValue, isEnd, readObjectText, writeObjectText } from './attribute-text.ts';
import { readTimes, type Time, timesInOrder, timesInOrderText, timesTextOf, writeTimes } from './attribute-times.ts';

/** Attributes of a profile as they are kept: object text and times text. */
export interface KeptAttributes {
  readonly attributes: string;
  readonly times: string;
}

/** One row's attributes. */
export interface AttributeRow {
  readonly columns: Columns;
  /** `objectText` of those of the columns that have a value. */
  readonly text: string;
  /** Key texts of the attributes that it removes. */
  readonly removed: readonly string[];
  readonly setAt: Time;
}

export interface Merged extends KeptAttributes {
  /** Attributes or their times differ from before. */
  readonly changed: boolean;
  /** Every value of the row is what the profile holds now: none lost against a later one. */
  readonly prevailed: boolean;
}

export const NO_ATTRIBUTES: KeptAttributes = { attributes: '{}', times: '{}' };

/**
 * Merges a row into the stored attributes. At equal times the row wins: it was delivered later. A `full` run does not
 * know when a value was set, so a value that is stored already keeps its time (D-045).
 */
export function mergeAttributes(kept: KeptAttributes, row: AttributeRow, mode: Mode): Merged {
  return mergeSameNames(kept, row, mode) ?? mergeOneByOne(kept, row, mode);
}

type Mode = 'full' | 'incremental';

/**
 * Merges the usual case, without a map and at a tenth of the cost: the profile has exactly the row's attributes, in its order,
 * or none yet, and none of them was set later. The row's own text is then kept. Returns undefined in other cases.
 */
function mergeSameNames(kept: KeptAttributes, row: AttributeRow, mode: Mode): Merged | undefined {
  if (row.removed.length > 0) return undefined;
  if (kept.times === NO_ATTRIBUTES.times) return firstAttributes(kept, row);
  // most batches say nothing of the person
  if (row.text === NO_ATTRIBUTES.attributes) return { ...kept, changed: false, prevailed: true };
  const compared = compareValues(kept.attributes, row);
  if (compared === undefined) return undefined;
  const { keys, same } = compared;
  if (mode === 'full' && !same.includes(false)) return { ...kept, changed: false, prevailed: true };
  const before = timesInOrder(kept.times, keys);
  if (before === undefined || before.times.some((time) => time > row.setAt)) return undefined;
  const after = before.times.map((time, i) => (mode === 'full' && same[i] === true ? time : row.setAt));
  const changed = same.includes(false) || after.some((time, i) => time !== before.times[i]);
  if (!changed) return { ...kept, changed, prevailed: true };
  const times = timesInOrderText(keys, after, [row.setAt, before.byDefault]);
  return { attributes: row.text, times, changed, prevailed: true };
}

/** Returns the row's attributes that have a value, cut out of its text. */
function valuesOf({ columns, text }: AttributeRow) {
  const values: string[] = [];
  let at = 1;
  const keys = columns.keys.filter((key) => {
    if (!text.startsWith(key, at)) return false;
    const end = endOfValue(text, at + key.length);
    values.push(text.slice(at + key.length, end));
    at = end + 1;
    return true;
  });
  return { keys, values };
}

function firstAttributes(kept: KeptAttributes, row: AttributeRow): Merged {
  if (row.text === NO_ATTRIBUTES.attributes) return { ...kept, changed: false, prevailed: true };
  return { attributes: row.text, times: timesTextOf(row.setAt), changed: true, prevailed: true };
}

/**
 * Compares the row's attributes that have a value with the kept ones, walking both texts side by side. Returns undefined where
 * the profile has other attributes, or has them in another order.
 */
function compareValues(kept: string, { columns, text }: AttributeRow) {
  const keys: string[] = [];
  const same: boolean[] = [];
  let at = 1;
  let keptAt = 1;
  for (const key of columns.keys) {
    if (!text.startsWith(key, at)) continue;
    if (!kept.startsWith(key, keptAt)) return undefined;
    const valueAt = at + key.length;
    const keptValueAt = keptAt + key.length;
    const end = endOfValue(text, valueAt);
    const keptEnd = keptValueAt + end - valueAt;
    const isSame = isEnd(kept, keptEnd) && kept.startsWith(text.slice(valueAt, end), keptValueAt);
    keys.push(key);
    same.push(isSame);
    at = end + 1;
    keptAt = (isSame ? keptEnd : endOfValue(kept, keptValueAt)) + 1;
  }
  return keptAt === kept.length ? { keys, same } : undefined;
}

interface Loaded {
  readonly values: Map<string, string>;
  /** Times at which each attribute was set or removed. */
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

function mergeOneByOne(kept: KeptAttributes, row: AttributeRow, mode: Mode): Merged {
  const loaded = load(kept);
  let changed = false;
  let prevailed = true;
  const { keys, values } = valuesOf(row);
  const said: (readonly [string, string | null])[] = keys.map((key, i) => [key, values[i] as string]);
  for (const one of [...said, ...row.removed.map((key) => [key, null] as const)]) {
    const outcome = settle(loaded, one, { setAt: row.setAt, keepsTime: mode === 'full' });
    if (outcome === 'set') changed = true;
    if (outcome === 'lost') prevailed = false;
  }
  if (!changed) return { ...kept, changed, prevailed };
  const times = compactTimes(loaded.values, loaded.setAt, row.setAt);
  return { attributes: writeObjectText(loaded.values), times, changed, prevailed };
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

/** Writes the times with the default that spares most entries: the row's time, or the time that most of the others share. */
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
