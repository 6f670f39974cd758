import { isDeviceId } from '../identity-types.ts';
import { mpidOfText } from '../mpid-of-text.ts';
import type { NamesPerson } from '../names-person.ts';
import { isIdentity, normaliseIdentity } from '../normalise-identity.ts';
import { type Meaning, someLeaf } from '../some-leaf.ts';
import { asAnyType, tellingTexts } from '../telling-texts.ts';
import { ENVIRONMENTS, type TombstoneKeys } from './tombstone-keys.ts';

/**
 * The counterpart of `createNamesPerson` where nothing but tombstones is left of the people: finds whom any of them is about.
 * An identity counts where both environments have its tombstone: in the other case somebody living holds it, or it was lifted.
 * Devices have none, so a record that names nothing else is not found.
 */
export function createNamesErased(keys: TombstoneKeys, tombstones: ReadonlySet<string>): NamesPerson {
  const isErased = (identity: Parameters<TombstoneKeys['ofIdentity']>[1]) =>
    ENVIRONMENTS.every((environment) => tombstones.has(keys.ofIdentity(environment, identity)));
  const isErasedMpid = (digits: string) => {
    const mpid = mpidOfText(digits);
    if (mpid === undefined) return false;
    return ENVIRONMENTS.some((environment) => tombstones.has(keys.ofMpid({ environment, mpid })));
  };
  const namesErased = (text: string, meaning: Meaning) => {
    if (meaning === 'mpid') return isErasedMpid(text);
    const identity = normaliseIdentity(meaning, text);
    return isIdentity(identity) && !isDeviceId(meaning) && isErased(identity);
  };
  const isWanted = (text: string, meanings: readonly Meaning[]) =>
    meanings.some((meaning) => namesErased(text, meaning)) ||
    tellingTexts(text).some((telling) => isErasedMpid(telling) || asAnyType(telling).some(isErased));
  return (value, meaningsOf) => someLeaf(value, isWanted, meaningsOf);
}
