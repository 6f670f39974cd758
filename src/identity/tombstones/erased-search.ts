import type { Environment, Identity } from '../contract.ts';
import { isDeviceId } from '../identity-types.ts';
import { identifyingTexts, identitiesOfAnyType } from '../mentions/identifying-texts.ts';
import { hasMatchingLeaf, type LeafTest, type Meaning } from '../mentions/matching-leaf.ts';
import type { MentionSearch, ReadValue } from '../mentions/mention-matcher.ts';
import { parseMpid } from '../mentions/parse-mpid.ts';
import { isIdentity, normaliseIdentity } from '../normalise-identity.ts';
import { ENVIRONMENTS, type TombstoneKeys } from './tombstone-keys.ts';

/** Returns those of the keys that have tombstones. */
type FindTombstones = (keys: readonly string[]) => Promise<ReadonlySet<string>>;

/** Most candidates of one look-up. */
const AT_ONCE = 5_000;

/**
 * Creates a search for erased people, of whom only tombstones are left; the counterpart of `createMentionMatcher`. The store is
 * asked for the keys that the given values need: first one for each identity, then, for the few that were found, the other. An
 * identity counts where both environments have its tombstone. Otherwise a living person holds it, or it was lifted. Devices
 * have no tombstones, so a record that names nothing else is not found. Only keys that were found are kept: a value of some
 * megabytes may need millions.
 */
export function createErasedSearch(keys: TombstoneKeys, findTombstones: FindTombstones): MentionSearch {
  return async (values) => {
    const erased = new Set<string>();
    for (const part of inParts(candidatesIn(values))) {
      for (const key of await findKeys(part, keys, findTombstones)) erased.add(key);
    }
    if (erased.size === 0) return () => false;
    const isErased = createIsErased(keys, erased);
    return (value, meaningsOf) => hasMatchingLeaf(value, isAnyOf(isErased), meaningsOf);
  };
}

async function findKeys(
  candidates: readonly Candidate[],
  keys: TombstoneKeys,
  findTombstones: FindTombstones,
): Promise<readonly string[]> {
  const byKey = new Map(candidates.map((candidate) => [keyOf(keys, 'production', candidate), candidate]));
  const found = await findTombstones([...byKey.keys()]);
  const others = byKey.entries().filter(([key, candidate]) => found.has(key) || 'mpid' in candidate);
  const otherKeys = others.map(([, candidate]) => keyOf(keys, 'development', candidate));
  return [...found, ...(await findTombstones([...otherKeys]))];
}

/** An identity or MPID that a text may mean. */
type Candidate = Identity | { readonly mpid: bigint };
type IsErased = (candidate: Candidate) => boolean;

function createIsErased(keys: TombstoneKeys, erased: ReadonlySet<string>): IsErased {
  return (candidate) => {
    const hasTombstone = (environment: Environment) => erased.has(keyOf(keys, environment, candidate));
    return 'mpid' in candidate ? ENVIRONMENTS.some(hasTombstone) : ENVIRONMENTS.every(hasTombstone);
  };
}

function keyOf(keys: TombstoneKeys, environment: Environment, candidate: Candidate): string {
  return 'mpid' in candidate
    ? keys.ofMpid({ environment, mpid: candidate.mpid })
    : keys.ofIdentity(environment, candidate);
}

const isAnyOf =
  (isErased: IsErased): LeafTest =>
  (text, meanings) =>
    candidatesOf(text, meanings).some(isErased);

function* inParts(candidates: Iterable<Candidate>): Generator<readonly Candidate[]> {
  let part: Candidate[] = [];
  for (const candidate of candidates) {
    part.push(candidate);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/**
 * Yields the candidates of all values. None is skipped because another one is erased: a caller that removes names from a text
 * asks for each part of it.
 */
function* candidatesIn(values: readonly ReadValue[]): Generator<Candidate> {
  for (const { value, meaningsOf } of values) {
    const leaves: (readonly [text: string, meanings: readonly Meaning[]])[] = [];
    const collect: LeafTest = (text, meanings) => {
      leaves.push([text, meanings]);
      return false;
    };
    hasMatchingLeaf(value, collect, meaningsOf);
    for (const [text, meanings] of leaves) yield* candidatesOf(text, meanings);
  }
}

function* candidatesOf(text: string, meanings: readonly Meaning[]): Generator<Candidate> {
  for (const meaning of meanings) yield* candidateAs(text, meaning);
  for (const found of identifyingTexts(text)) {
    yield* mpidIn(found);
    yield* identitiesOfAnyType(found);
  }
}

function candidateAs(text: string, meaning: Meaning): readonly Candidate[] {
  if (meaning === 'mpid') return mpidIn(text);
  const identity = normaliseIdentity(meaning, text);
  return isIdentity(identity) && !isDeviceId(meaning) ? [identity] : [];
}

function mpidIn(digits: string): readonly Candidate[] {
  const mpid = parseMpid(digits);
  return mpid === undefined ? [] : [{ mpid }];
}
