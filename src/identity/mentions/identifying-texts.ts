import type { Identity } from '../contract.ts';
import { IDENTITY_TYPES, type IdentityType, isDeviceId } from '../identity-types.ts';
import { ownMeaning } from './matching-leaf.ts';

/** Shortest value that identifies a person outside of a field of its type; shorter ones stand for too many other things. */
const IDENTIFYING_CHARS = 8;
/** Shortest value that counts within a longer text; shorter ones are too often a part of something else, such as a date. */
const TOKEN_CHARS = 11;

/** Shortest value of a free type that counts. Senders write anything into it: a date, a version, a name of a release. */
const FREE_TYPE_CHARS = 16;
const FREE_TYPES: ReadonlySet<IdentityType> = new Set(
  IDENTITY_TYPES.filter((type) => type === 'alias' || type.startsWith('other')),
);

const DATE = /^\d{4}-\d{2}-\d{2}/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;
const DIGIT = /\p{N}/u;

export const isEmail = (value: string): boolean => EMAIL.test(value);

/** Tells whether a value, as the whole of any field, can only stand for a person. */
export function isIdentifying(value: string): boolean {
  if (value.length < IDENTIFYING_CHARS || ownMeaning(value) !== undefined) return false;
  return isEmail(value) || (DIGIT.test(value) && !DATE.test(value));
}

/** Tells whether an identity counts outside of a field of its type. A free type counts only as an e-mail or a long token. */
export function isIdentifyingIdentity({ type, value }: Identity): boolean {
  if (!isIdentifying(value)) return false;
  return !FREE_TYPES.has(type) || isEmail(value) || (value.length >= FREE_TYPE_CHARS && isToken(value));
}

/** Tells whether an identifying value also counts within a longer text. */
export const isToken = (value: string): boolean => isEmail(value) || (value.length >= TOKEN_CHARS && !/\s/.test(value));

const PIECE = /[^\s"'`,;:()<>=[\]{}]+/g;
/** Full stops at the end of a piece, which end a sentence. */
const FULL_STOPS = /(?<!\.)\.+$/;

/** Returns the text itself and the words in it, as far as they identify a person. */
export function identifyingTexts(text: string): readonly string[] {
  const whole = text.trim();
  const words = (text.match(PIECE) ?? []).map((word) => word.replace(FULL_STOPS, ''));
  const pieces = words.filter((piece) => piece !== '' && piece !== whole && isIdentifying(piece) && isToken(piece));
  return isIdentifying(whole) ? [whole, ...pieces] : pieces;
}

const TYPES_OF_PEOPLE = IDENTITY_TYPES.filter((type) => !isDeviceId(type));

/** Returns the identities that an identifying text may be, in a field that does not tell the type. */
export const identitiesOfAnyType = (value: string): readonly Identity[] =>
  TYPES_OF_PEOPLE.map((type) => ({ type, value })).filter(isIdentifyingIdentity);

const PHONE_NUMBER = /^\+?[\d\s()./-]+$/;
const OF_NUMBERS: readonly IdentityType[] = ['mobile_number', 'phone_number_2', 'phone_number_3'];

/** Returns the few identities that an identifying text most likely is, for callers without the time to ask for all. */
export function identitiesOfLikelyTypes(value: string): readonly Identity[] {
  if (isEmail(value)) return ofTypes(['email', 'customer_id'], value);
  return ofTypes(['customer_id', 'other', ...(PHONE_NUMBER.test(value) ? OF_NUMBERS : [])], value);
}

const ofTypes = (types: readonly IdentityType[], value: string): readonly Identity[] =>
  types.map((type) => ({ type, value })).filter(isIdentifyingIdentity);
