import type { Identity } from '../contract.ts';
import { isDeviceId } from '../identity-types.ts';
import { mpidOfText } from '../mentions/mpid-of-text.ts';
import type { NamesIn, ReadValue } from '../mentions/names-person.ts';
import { type IsWanted, type Meaning, someLeaf } from '../mentions/some-leaf.ts';
import { asAnyType, tellingTexts } from '../mentions/telling-texts.ts';
import { isIdentity, normaliseIdentity } from '../normalise-identity.ts';
import { ENVIRONMENTS, type TombstoneKeys } from './tombstone-keys.ts';

/** Returns those of the keys that have tombstones. */
type FindTombstones = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

/** Keys of one question. */
const MOST_KEYS = 10_000;

/**
 * The counterpart of `createNamesPerson` where nothing but tombstones is left of the people: finds whom any of them is about.
 * The store is asked for the keys that the given values need: first one for each identity, then, for the few that were found,
 * the other. An identity counts where both environments have its tombstone: in the other case somebody living holds it, or it
 * was lifted. Devices have none, so a record that names nothing else is not found.
 */
export function createNamesErased(keys: TombstoneKeys, findTombstones: FindTombstones): NamesIn {
  return async (values) => {
    const known = new Map<string, boolean>();
    const remembered = rememberKeys(keys);
    for (;;) {
      const unknown = new Set<string>();
      const hasTombstone = (key: string) => {
        const has = known.get(key);
        if (has === undefined) unknown.add(key);
        return has ?? false;
      };
      const isErased = createIsErased(remembered, hasTombstone);
      for (const given of values) for (const candidate of candidatesIn(given)) isErased(candidate);
      if (unknown.size === 0) return (value, meaningsOf) => someLeaf(value, isAnyOf(isErased), meaningsOf);
      await ask([...unknown], { known, findTombstones });
    }
  };
}

interface Asking {
  readonly known: Map<string, boolean>;
  readonly findTombstones: FindTombstones;
}

async function ask(unknown: readonly string[], { known, findTombstones }: Asking): Promise<void> {
  for (let from = 0; from < unknown.length; from += MOST_KEYS) {
    const part = unknown.slice(from, from + MOST_KEYS);
    const found = await findTombstones(part);
    for (const key of part) known.set(key, found.has(key));
  }
}

/** Hashes each identity once, however often the same values are gone through. */
function rememberKeys(keys: TombstoneKeys): TombstoneKeys {
  const made = new Map<string, string>();
  const once = (name: string, make: () => string): string => {
    const key = made.get(name) ?? make();
    made.set(name, key);
    return key;
  };
  return {
    ofIdentity: (environment, identity) =>
      once(`${environment} ${identity.type} ${identity.value}`, () => keys.ofIdentity(environment, identity)),
    ofMpid: (profile) => once(`${profile.environment} mpid ${profile.mpid}`, () => keys.ofMpid(profile)),
  };
}

/** Whom a text may be about. */
type Candidate = Identity | { readonly mpid: bigint };
type IsErased = (candidate: Candidate) => boolean;

function createIsErased(keys: TombstoneKeys, hasTombstone: (key: string) => boolean): IsErased {
  return (candidate) =>
    'mpid' in candidate
      ? ENVIRONMENTS.some((environment) => hasTombstone(keys.ofMpid({ environment, mpid: candidate.mpid })))
      : ENVIRONMENTS.every((environment) => hasTombstone(keys.ofIdentity(environment, candidate)));
}

const isAnyOf =
  (isErased: IsErased): IsWanted =>
  (text, meanings) =>
    candidatesOf(text, meanings).some(isErased);

/** All of a value, none left out because another one is erased: whoever takes names out of a text asks for each part of it. */
function candidatesIn({ value, meaningsOf }: ReadValue): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const collect: IsWanted = (text, meanings) => {
    candidates.push(...candidatesOf(text, meanings));
    return false;
  };
  someLeaf(value, collect, meaningsOf);
  return candidates;
}

function candidatesOf(text: string, meanings: readonly Meaning[]): readonly Candidate[] {
  const asMeant = meanings.flatMap((meaning) => candidateAs(text, meaning));
  return [...asMeant, ...tellingTexts(text).flatMap((telling) => [...mpidIn(telling), ...asAnyType(telling)])];
}

function candidateAs(text: string, meaning: Meaning): readonly Candidate[] {
  if (meaning === 'mpid') return mpidIn(text);
  const identity = normaliseIdentity(meaning, text);
  return isIdentity(identity) && !isDeviceId(meaning) ? [identity] : [];
}

function mpidIn(digits: string): readonly Candidate[] {
  const mpid = mpidOfText(digits);
  return mpid === undefined ? [] : [{ mpid }];
}
