import type { Identity } from '../contract.ts';
import { matchingForm } from '../normalise-identity.ts';
import { type IsWanted, type Meaning, type MeaningsOf, someLeaf } from './some-leaf.ts';
import { isEmail, isTelling, isTellingIdentity, isToken } from './telling-texts.ts';

/** The identities and MPIDs by which a person is looked for in texts that other rooms keep. */
export interface PersonNames {
  readonly identities: readonly Identity[];
  readonly mpids: readonly bigint[];
}

/** A function that tells whether a value, as the lossless parser gives it, names the person anywhere in it. */
export type NamesPerson = (value: unknown, meaningsOf?: MeaningsOf) => boolean;

/** One record that a room keeps outside of profiles. */
export interface KeptRecord<Ref> {
  /** Reference by which the room finds its record again. */
  readonly ref: Ref;
  /** Returns its value as the lossless parser gives it. */
  readonly read: () => unknown;
  readonly meaningsOf?: MeaningsOf | undefined;
}

/** A value to ask `NamesPerson` about. */
export interface ReadValue {
  readonly value: unknown;
  readonly meaningsOf?: MeaningsOf | undefined;
}

/** Returns a test for these values. People known by hashes alone are looked up for each small group of values. */
export type NamesIn = (values: readonly ReadValue[]) => Promise<NamesPerson>;

/**
 * Creates a test that tells whether a value names the person. A field of an identity's type names the person when it has the
 * person's value in matching form, as text or as a number. An e-mail, and a value of 8 characters and more with a digit
 * (`other*` and `alias`: a token of 16), also counts as the whole of any other field. Within longer texts, such as an error
 * message, only an e-mail and a token of 11 characters and more count. Names of fields never count: they are the same in the
 * records of all people. A value of ordinary words counts in fields of its type alone; otherwise `other: "production"` would
 * delete the records of everybody.
 */
export function createNamesPerson(names: PersonNames): NamesPerson {
  const isNamed = createIsNamed(names);
  return (value, meaningsOf) => someLeaf(value, isNamed, meaningsOf);
}

function createIsNamed({ identities, mpids }: PersonNames): IsWanted {
  const exact = new Set([
    ...identities.map((identity) => `${identity.type}\n${matchingForm(identity)}`),
    ...mpids.map((mpid) => `mpid\n${mpid}`),
  ]);
  const values = identities.filter(isTellingIdentity).map(({ value }) => value.toLowerCase());
  const telling = new Set([...values, ...mpids.map(String).filter(isTelling)]);
  const tokens = [...telling].filter(isToken);
  return (text, meanings) => {
    if (meanings.some((meaning) => exact.has(`${meaning}\n${formOf(text, meaning)}`))) return true;
    const lower = text.toLowerCase();
    return telling.has(lower.trim()) || tokens.some((token) => holdsToken(lower, token));
  };
}

function formOf(text: string, meaning: Meaning): string {
  return meaning === 'mpid' ? text.trim() : matchingForm({ type: meaning, value: text.trim() });
}

const WORD_BEFORE = /[\p{L}\p{N}]$/u;
const WORD_AFTER = /^[\p{L}\p{N}]/u;
/** `x.ann@example.com` and `ann@example.com.au` are other people; a full stop after an address ends a sentence. */
const EMAIL_BEFORE = /[\p{L}\p{N}._%+-]$/u;
const EMAIL_AFTER = /^[.-]?[\p{L}\p{N}]/u;

function holdsToken(text: string, token: string): boolean {
  const [before, after] = isEmail(token) ? [EMAIL_BEFORE, EMAIL_AFTER] : [WORD_BEFORE, WORD_AFTER];
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
    const end = at + token.length;
    if (!before.test(text.slice(Math.max(0, at - 2), at)) && !after.test(text.slice(end, end + 3))) return true;
  }
  return false;
}
