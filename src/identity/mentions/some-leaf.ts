import { isRawNumber, type Json, parseEveryValue } from '../../kernel/index.ts';
import { type IdentityType, identityTypeOfColumn, identityTypeOfField } from '../identity-types.ts';

/** What the value of a field says of a person. */
export type Meaning = IdentityType | 'mpid';

/**
 * What a field means, where its own name does not say it; undefined: its name decides. `depth`: in how many texts of JSON the
 * field lies, so that a caller can tell its own fields from those that a text holds.
 */
export type MeaningsOf = (field: string, depth: number) => readonly Meaning[] | undefined;

/** Whether a text or number is the one looked for; `meanings`: those of the field that holds it, mostly none. */
export type IsWanted = (text: string, meanings: readonly Meaning[]) => boolean;

/** Texts of JSON within texts of JSON are opened so deep. */
const MOST_DEPTH = 8;
const NONE: readonly Meaning[] = [];

/** Where a value stands. */
interface Place {
  readonly value: unknown;
  /** How many texts of JSON it lies in. */
  readonly depth: number;
  readonly meanings: readonly Meaning[];
  readonly meaningsOf: MeaningsOf | undefined;
}

/**
 * Whether any text or number in a value is wanted, in the order of nothing. This is the one way in which records of nobody's
 * profile are read, by an erasure that searches them and by whoever is about to keep one. JSON within a text is opened, with
 * all values of a repeated field; a JSON column holds its single value in quotes. Not recursive: senders choose the depth.
 */
export function someLeaf(value: unknown, isWanted: IsWanted, meaningsOf?: MeaningsOf): boolean {
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

/** `{"identity_type": "email", "identity": …}`: the other fields of such an object hold what it names. */
function typeNamedIn(fields: object): readonly Meaning[] {
  const name: unknown = Reflect.get(fields, 'identity_type');
  const type = typeof name === 'string' ? ownMeaning(name) : undefined;
  return type === undefined ? NONE : [type];
}

/** What a field means by its name alone, in all spellings that the wire and tables have. */
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
