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
/** Shorter ones are too often a part of something else, such as a date, to count within a longer text. */
const TOKEN_CHARS = 11;
/** Texts of JSON within texts of JSON are opened so deep. */
const MOST_DEPTH = 8;

/**
 * A field of an identity's type names the person when it has its value in matching form, as text or as a number. An e-mail,
 * and a value of 8 characters and more with a digit, also counts as the whole of any other field; within longer texts, such as
 * an error message, only an e-mail and a token of 11 characters and more. Names of fields never count: they are the same in the
 * records of all people.
 * not shown: what is no more than ordinary words counts in fields of its type alone, or `other: "production"` would delete
 * what is kept of everybody.
 */
export function createNamesPerson(names: PersonNames): NamesPerson {
  const isNamed = createIsNamed(names);
  const isIn = (value: unknown, place: Place): boolean => {
    const text = textOf(value);
    if (text !== undefined) return isNamed(text, place.meaning) || isInJson(text, place);
    if (Array.isArray(value)) return value.some((item) => isIn(item, place));
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([name, item]) => isIn(item, { ...place, meaning: meaningIn(place, name) }));
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
  const telling = new Set([...values].filter(isTelling));
  const tokens = [...telling].filter(isToken);
  return (text, meaning) => {
    if (meaning !== undefined && exact.has(`${meaning}\n${formOf(text, meaning)}`)) return true;
    const lower = text.toLowerCase();
    return telling.has(lower.trim()) || tokens.some((token) => holdsToken(lower, token));
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

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const DIGIT = /\p{N}/u;

/** Whether a value, in lower case, stands for nothing but a person wherever it is the whole of a field. */
function isTelling(value: string): boolean {
  if (value.length < TELLING_CHARS || ownMeaning(value) !== undefined) return false;
  return EMAIL.test(value) || DIGIT.test(value);
}

/** Whether a telling value does so within a longer text too. */
const isToken = (value: string): boolean => EMAIL.test(value) || (value.length >= TOKEN_CHARS && !/\s/.test(value));

const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;
/** `x.ann@example.com` and `ann@example.com.au` are other people; a full stop after an address ends a sentence. */
const EMAIL_BEFORE = /[\p{L}\p{N}._%+-]$/u;
const EMAIL_AFTER = /^[.-]?[\p{L}\p{N}]/u;

function holdsToken(text: string, token: string): boolean {
  const [before, after] = EMAIL.test(token) ? [EMAIL_BEFORE, EMAIL_AFTER] : [WORD_BEFORE, WORD_AFTER];
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const end = at + token.length;
    if (!before.test(text.slice(Math.max(0, at - 2), at)) && !after.test(text.slice(end, end + 3))) return true;
  }
  return false;
}
