import type { Identity } from '../contract.ts';
import { matchingForm } from '../normalise-identity.ts';
import { isEmail, isIdentifying, isIdentifyingIdentity, isToken } from './identifying-texts.ts';
import { hasMatchingLeaf, type LeafTest, type Meaning, type MeaningsOf } from './matching-leaf.ts';

/** The identities and MPIDs by which a person is looked for in texts that other rooms keep. */
export interface PersonIdentifiers {
  readonly identities: readonly Identity[];
  readonly mpids: readonly bigint[];
}

/** A function that tells whether a value, as the lossless parser gives it, mentions the person anywhere in it. */
export type MentionMatcher = (value: unknown, meaningsOf?: MeaningsOf) => boolean;

/** One record that a room keeps outside of profiles. */
export interface KeptRecord<Ref> {
  /** Reference by which the room finds its record again. */
  readonly ref: Ref;
  /** Returns its value as the lossless parser gives it. */
  readonly read: () => unknown;
  readonly meaningsOf?: MeaningsOf | undefined;
}

/** A value that a `MentionMatcher` will be given. */
export interface ReadValue {
  readonly value: unknown;
  readonly meaningsOf?: MeaningsOf | undefined;
}

/** Prepares a matcher for these values. People known by hashes alone are looked up for each small group of values. */
export type MentionSearch = (values: readonly ReadValue[]) => Promise<MentionMatcher>;

/**
 * Creates a matcher for the mentions of a person. A field of an identity's type mentions the person when it has the person's
 * value in matching form, as text or as a number. An e-mail, and a value of 8 characters and more with a digit
 * (`other*` and `alias`: a token of 16), also counts as the whole of any other field. Within longer texts, such as an error
 * message, only an e-mail and a token of 11 characters and more count. Names of fields never count: they are the same in the
 * records of all people. A value of ordinary words counts in fields of its type alone; otherwise `other: "production"` would
 * delete the records of everybody.
 */
export function createMentionMatcher(identifiers: PersonIdentifiers): MentionMatcher {
  const isWanted = createLeafTest(identifiers);
  return (value, meaningsOf) => hasMatchingLeaf(value, isWanted, meaningsOf);
}

function createLeafTest({ identities, mpids }: PersonIdentifiers): LeafTest {
  const exact = new Set([
    ...identities.map((identity) => `${identity.type}\n${matchingForm(identity)}`),
    ...mpids.map((mpid) => `mpid\n${mpid}`),
  ]);
  const values = identities.filter(isIdentifyingIdentity).map(({ value }) => value.toLowerCase());
  const identifying = new Set([...values, ...mpids.map(String).filter(isIdentifying)]);
  const tokens = [...identifying].filter(isToken);
  return (text, meanings) => {
    if (meanings.some((meaning) => exact.has(`${meaning}\n${formOf(text, meaning)}`))) return true;
    const lower = text.toLowerCase();
    return identifying.has(lower.trim()) || tokens.some((token) => holdsToken(lower, token));
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
