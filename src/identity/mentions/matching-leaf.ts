import { isRawNumber, type Json, parseEveryValue } from '../../kernel/index.ts';
import { type IdentityType, identityTypeOfColumn, identityTypeOfField } from '../identity-types.ts';

/** The meaning of a field's value: an identity of this type, or an MPID. */
export type Meaning = IdentityType | 'mpid';

/**
 * A function that gives the meanings of a field whose own name does not give them; it returns undefined where the name decides.
 * `depth` counts the texts of JSON around the field, so that a caller can tell its own fields from those that a text holds.
 */
export type MeaningsOf = (field: string, depth: number) => readonly Meaning[] | undefined;

/** A function that tells whether a text or number is wanted. `meanings` are those of the field that holds it, mostly none. */
export type LeafTest = (text: string, meanings: readonly Meaning[]) => boolean;

/** The depth to which JSON texts within JSON texts are opened. */
const MOST_DEPTH = 8;
const NONE: readonly Meaning[] = [];

/** A value with its position. */
interface Place {
  readonly value: unknown;
  /** The number of JSON texts around the value. */
  readonly depth: number;
  readonly meanings: readonly Meaning[];
  readonly meaningsOf: MeaningsOf | undefined;
}

/**
 * Tells whether any text or number in a value is wanted, in no particular order. Records outside of profiles are read by this
 * function alone: by an erasure that searches them, and by a room that is about to keep one. JSON within a text is opened, with
 * all values of a repeated field; a JSON column holds its single value in quotes. Not recursive: senders choose the depth.
 */
export function hasMatchingLeaf(value: unknown, isWanted: LeafTest, meaningsOf?: MeaningsOf): boolean {
  const places: Place[] = [{ value, depth: 0, meanings: NONE, meaningsOf }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const text = textOf(place.value);
    if (text === undefined) pushParts(places, place);
    else if (isWanted(text, place.meanings)) return true;
    else if (place.depth < MOST_DEPTH && LOOKS_LIKE_JSON.test(text)) {
      places.push({ ...place, value: jsonOf(text), depth: place.depth + 1 });
    }
  }
  return false;
}

function pushParts(places: Place[], place: Place): void {
  const { value, depth, meanings, meaningsOf } = place;
  if (Array.isArray(value)) for (const item of value) places.push({ value: item, depth, meanings, meaningsOf });
  else if (typeof value === 'object' && value !== null) {
    const named = typeNamedIn(value);
    for (const [name, item] of Object.entries(value)) {
      if (item === null) continue;
      places.push({
        value: item,
        depth,
        meanings: meaningsOf?.(name, depth) ?? meaningsOfName(name, named),
        meaningsOf,
      });
    }
  }
}

function meaningsOfName(name: string, named: readonly Meaning[]): readonly Meaning[] {
  const own = ownMeaning(name);
  return own === undefined ? named : [own];
}

/** Returns the type that an object such as `{"identity_type": "email", "identity": …}` names for its other fields. */
function typeNamedIn(fields: object): readonly Meaning[] {
  const name: unknown = Reflect.get(fields, 'identity_type');
  const type = typeof name === 'string' ? ownMeaning(name) : undefined;
  return type === undefined ? NONE : [type];
}

/** Returns what a field means by its name alone, in all spellings that the wire and tables have. */
export function ownMeaning(name: string): Meaning | undefined {
  if (name.toLowerCase() === 'mpid') return 'mpid';
  return identityTypeOfField(name) ?? identityTypeOfColumn(name);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

const LOOKS_LIKE_JSON = /^\s*["[{]/;

function jsonOf(text: string): Json | undefined {
  try {
    return parseEveryValue(text);
  } catch {
    return undefined;
  }
}
