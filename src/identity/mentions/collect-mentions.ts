import type { Identity, MentionedPerson } from '../contract.ts';
import { isIdentity, normaliseIdentity } from '../normalise-identity.ts';
import { identifyingTexts, isEmail } from './identifying-texts.ts';
import { hasMatchingLeaf, type Meaning, type MeaningsOf } from './matching-leaf.ts';
import { parseMpid } from './parse-mpid.ts';

/** Distinct texts of one record that are looked up: each costs a hash for every type that it may be. */
const MOST_UNTYPED = 50;

/**
 * Collects the identities, the MPID and the other identifying texts of a record outside of profiles, from any depth. Keyed
 * hashes of them then tell whether the record mentions an erased person. `createMentionMatcher` searches for a known person.
 */
export function collectMentions(value: unknown, meaningsOf?: MeaningsOf): Omit<MentionedPerson, 'environment'> {
  const identities: Identity[] = [];
  const untyped = new Set<string>();
  let mpid: bigint | undefined;
  const note = (text: string, meaning: Meaning) => {
    if (meaning === 'mpid') mpid ??= parseMpid(text);
    else {
      const identity = normaliseIdentity(meaning, text);
      if (isIdentity(identity)) identities.push(identity);
    }
  };
  hasMatchingLeaf(
    value,
    (text, meanings) => {
      for (const meaning of meanings) note(text, meaning);
      if (!meanings.includes('mpid')) for (const found of identifyingTexts(text)) untyped.add(found);
      return false;
    },
    meaningsOf,
  );
  // e-mails first: of all texts they identify a person most surely
  const ranked = [...untyped].toSorted((one, other) => Number(isEmail(other)) - Number(isEmail(one)));
  const named = { identities, untypedTexts: ranked.slice(0, MOST_UNTYPED) };
  return mpid === undefined ? named : { ...named, mpid };
}
