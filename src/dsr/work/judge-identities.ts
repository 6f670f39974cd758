// Judges a person's identities for the officer, before and after an erasure. Some values are carried by so many
// records that they identify nobody. Some profiles remain with one of the identities.
import type { WorkspaceSettings } from '../../access/index.ts';
import { countCarriers } from '../../events/index.ts';
import {
  findHolders,
  type Holder,
  type Identity,
  type IdentityType,
  isDeviceId,
  isIdentifying,
  type ProfileId,
  policyOf,
} from '../../identity/index.ts';
import { itemAt, type Secret } from '../../kernel/index.ts';
import { inIndexOrder, type Sql, type Store } from '../../store/index.ts';
import type { PeopleToErase } from './erase-records.ts';
import { type KnownPeople, verifiedIdentities } from './identities-to-search.ts';
import { isUsualFiller } from './usual-fillers.ts';

export interface JudgeSettings {
  readonly identityKey: Secret;
  readonly settings: Pick<WorkspaceSettings, 'identity'>;
  /** Number of profiles or batches above which an ordinary value counts as a filler. */
  readonly fillerCarriers: number;
}

/**
 * A value of a type that several people may share, made of ordinary words or few characters, or one that people fill forms
 * with.
 */
export interface OrdinaryValue extends Identity {
  /** Other profiles that hold the value, in both environments: 64 at most in each. */
  readonly profiles: number;
  /** Newest batches of other people that carry the value; counting stops past the limit. */
  readonly batches: number;
  /** Set where the value gets no tombstone and is not searched for. */
  readonly isFiller: boolean;
  /** Set where people without such a value fill forms with it. */
  readonly isUsual: boolean;
}

/** A profile that is not erased. */
export interface SharingProfile extends ProfileId {
  /** Types of the shared identities. */
  readonly types: readonly IdentityType[];
}

export interface JudgedIdentities {
  readonly ordinary: readonly OrdinaryValue[];
  /** Profiles that share an identity; at most 100. */
  readonly sharing: readonly SharingProfile[];
}

/** Maximum number of profiles that an officer is shown. */
const MOST_SHARING = 100;

/** Counts who else carries each ordinary value. Reads the newest batches up to the limit; takes no lock. Throws on an abort. */
export async function judgeIdentities(
  store: Store,
  judging: JudgeSettings,
  { signal, ...known }: KnownPeople & { readonly signal: AbortSignal },
): Promise<JudgedIdentities> {
  const identities = verifiedIdentities(known);
  const holders = await otherHolders(store, judging, { ...known, identities });
  const ordinary: OrdinaryValue[] = [];
  for (const [index, identity] of identities.entries()) {
    if (!isOrdinary(identity, judging)) continue;
    signal.throwIfAborted();
    const profiles = holders.filter(({ holds }) => holds.includes(index)).length;
    const batches = await otherBatches(store, judging, { ...known, identity });
    const isNamed = known.named?.some(({ type, value }) => type === identity.type && value === identity.value) ?? false;
    const isFiller = !isNamed && Math.max(profiles, batches) > judging.fillerCarriers;
    ordinary.push({ ...identity, profiles, batches, isFiller, isUsual: isUsualFiller(identity.value) });
  }
  return { ordinary, sharing: sharingOf(holders, identities) };
}

function isOrdinary({ type, value }: Identity, { settings }: JudgeSettings): boolean {
  if (isDeviceId(type) || policyOf(settings).loginTypes.includes(type)) return false;
  return !isIdentifying(value) || isUsualFiller(value);
}

/** Returns one more than the limit, enough to tell that it is passed. */
const mostOf = ({ fillerCarriers }: JudgeSettings): number => fillerCarriers + 1;

const mpidsOf = ({ people }: Pick<KnownPeople, 'people'>): readonly bigint[] => people.map(({ mpid }) => mpid);

interface OtherHolder extends Holder, ProfileId {}

async function otherHolders(sql: Sql, judging: JudgeSettings, known: PeopleToErase): Promise<readonly OtherHolder[]> {
  const { workspaceId, identities } = known;
  const own = new Set(mpidsOf(known));
  const found: OtherHolder[] = [];
  for (const environment of ['production', 'development'] as const) {
    const holders = await findHolders(sql, judging.identityKey, { workspaceId, environment, identities });
    const others = holders.filter(({ mpid }) => !own.has(mpid));
    found.push(...others.map((holder) => ({ ...holder, environment })));
  }
  return found;
}

async function otherBatches(
  store: Store,
  judging: JudgeSettings,
  { identity, ...known }: KnownPeople & { readonly identity: Identity },
): Promise<number> {
  const wanted = { workspaceId: known.workspaceId, without: mpidsOf(known), identity, most: mostOf(judging) };
  return await inIndexOrder(store, (tx) => countCarriers(tx, wanted));
}

/** Ranks profiles by their rarest shared identity: a rare one says most about who they are. */
function sharingOf(holders: readonly OtherHolder[], identities: readonly Identity[]): readonly SharingProfile[] {
  const countOf = identities.map((_, index) => holders.filter(({ holds }) => holds.includes(index)).length);
  const rarest = ({ holds }: OtherHolder) => Math.min(...holds.map((index) => itemAt(countOf, index)));
  const ranked = holders.toSorted((one, other) => rarest(one) - rarest(other)).slice(0, MOST_SHARING);
  return ranked.map(({ environment, mpid, holds }) => ({
    environment,
    mpid,
    types: [...new Set(holds.map((index) => itemAt(identities, index).type))],
  }));
}
