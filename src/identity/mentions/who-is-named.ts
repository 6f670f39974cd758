import type { Identity, NamedPerson } from '../contract.ts';
import { isIdentity, normaliseIdentity } from '../normalise-identity.ts';
import { mpidOfText } from './mpid-of-text.ts';
import { type Meaning, type MeaningsOf, someLeaf } from './some-leaf.ts';
import { isEmail, tellingTexts } from './telling-texts.ts';

/** Distinct texts of one record that are looked up: each costs a hash for every type that it may be. */
const MOST_MENTIONS = 50;

/**
 * Returns the people whom a record outside of profiles names, anywhere in it. It is the counterpart of `createNamesPerson` for
 * people who are known by keyed hashes alone. Fields of an identity's type give identities; a text that tells a person in any
 * field is a mention.
 */
export function whoIsNamed(value: unknown, meaningsOf?: MeaningsOf): Omit<NamedPerson, 'environment'> {
  const identities: Identity[] = [];
  const mentions = new Set<string>();
  let mpid: bigint | undefined;
  const note = (text: string, meaning: Meaning) => {
    if (meaning === 'mpid') mpid ??= mpidOfText(text);
    else {
      const identity = normaliseIdentity(meaning, text);
      if (isIdentity(identity)) identities.push(identity);
    }
  };
  someLeaf(
    value,
    (text, meanings) => {
      for (const meaning of meanings) note(text, meaning);
      if (!meanings.includes('mpid')) for (const mention of tellingTexts(text)) mentions.add(mention);
      return false;
    },
    meaningsOf,
  );
  // e-mails first: of all texts they tell most surely
  const ranked = [...mentions].toSorted((one, other) => Number(isEmail(other)) - Number(isEmail(one)));
  const named = { identities, mentions: ranked.slice(0, MOST_MENTIONS) };
  return mpid === undefined ? named : { ...named, mpid };
}
