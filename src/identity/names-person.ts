import { isRawNumber } from '../kernel/index.ts';
import type { Identity } from './contract.ts';
import { type IdentityType, identityTypeOfColumn, identityTypeOfField } from './identity-types.ts';
import { matchingForm } from './normalise-identity.ts';

/** By what a person is looked for in texts that other rooms keep. */
export interface PersonNames {
  readonly identities: readonly Identity[];
  readonly mpids: readonly bigint[];
}

/** What a field of a text means, where its own name does not say it; undefined: nothing. */
export type MeaningOf = (field: string) => IdentityType | 'mpid' | undefined;

/** Whether a value, as the lossless parser gives it, names the person anywhere in it. */
export type NamesPerson = (value: unknown, meaningOf?: MeaningOf) => boolean;

/** Shorter values stand for too many other things: they count only in a field of their type. */
const TELLING_CHARS = 8;
/** Texts of JSON within texts of JSON are opened so deep. */
const MOST_DEPTH = 8;

/**
 * A field of an identity's type names the person when it has its value in matching form, as text or as a number. A value of
 * 8 characters and more also counts in any other field, and within longer texts where it stands as a word of its own: an
 * error message, an attribute, JSON in a text.
 */
export function createNamesPerson(names: PersonNames): NamesPerson {
  const isNamed = createIsNamed(names);
  const isIn = (value: unknown, place: Place): boolean => {
    const text = textOf(value);
    if (text !== undefined) return isNamed(text, place.meaning) || isInJson(text, place);
    if (Array.isArray(value)) return value.some((item) => isIn(item, place));
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(
      ([name, item]) => isNamed(name, undefined) || isIn(item, { ...place, meaning: meaningIn(place, name) }),
    );
  };
  const isInJson = (text: string, { depth }: Place): boolean =>
    depth < MOST_DEPTH && LOOKS_LIKE_JSON.test(text) && isIn(jsonOf(text), { depth: depth + 1 });
  return (value, meaningOf) => isIn(value, { depth: 0, meaningOf });
}

type Meaning = ReturnType<MeaningOf>;

/** Where a value stands. */
interface Place {
  readonly depth: number;
  readonly meaningOf?: MeaningOf | undefined;
  /** Of the field that holds it. */
  readonly meaning?: Meaning;
}

function createIsNamed({ identities, mpids }: PersonNames): (text: string, meaning: Meaning) => boolean {
  const exact = new Set([
    ...identities.map((identity) => `${identity.type}\n${matchingForm(identity)}`),
    ...mpids.map((mpid) => `mpid\n${mpid}`),
  ]);
  const values = new Set([...identities.map(({ value }) => value.toLowerCase()), ...mpids.map(String)]);
  const telling = [...values].filter((value) => value.length >= TELLING_CHARS);
  return (text, meaning) => {
    if (meaning !== undefined && exact.has(`${meaning}\n${formOf(text, meaning)}`)) return true;
    const lower = text.toLowerCase();
    return telling.some((value) => holdsWord(lower, value));
  };
}

function meaningIn({ meaningOf }: Place, name: string): Meaning {
  return meaningOf?.(name) ?? ownMeaning(name);
}

function ownMeaning(name: string): Meaning {
  if (name.toLowerCase() === 'mpid') return 'mpid';
  return identityTypeOfField(name) ?? identityTypeOfColumn(name);
}

function formOf(text: string, meaning: NonNullable<Meaning>): string {
  return meaning === 'mpid' ? text.trim() : matchingForm({ type: meaning, value: text.trim() });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}

const LOOKS_LIKE_JSON = /^\s*[[{]/;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const WORD = /[\p{L}\p{N}]/u;

function holdsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + word.length))) return true;
  }
  return false;
}
