// What an officer has to know of a person's identities before and after an erasure: values that so many records carry that
// they say nothing of a person, and profiles that live on with one of the identities.
import type { WorkspaceSettings } from '../../access/index.ts';
import { countCarriers } from '../../events/index.ts';
import {
  findHolders,
  type Identity,
  type IdentityType,
  isDeviceId,
  isTelling,
  type ProfileId,
  policyOf,
} from '../../identity/index.ts';
import type { Secret } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { PeopleInRooms } from './erase-rooms.ts';
import { type KnownPeople, knownIdentities } from './person-to-search.ts';

export interface Judging {
  readonly identityKey: Secret;
  readonly settings: Pick<WorkspaceSettings, 'identity'>;
  /** More profiles or batches than this make an ordinary value a filler. */
  readonly fillerCarriers: number;
}

/** A value of ordinary words or few characters, of a type that several people may share. */
export interface OrdinaryValue extends Identity {
  /** That hold it, in both environments. */
  readonly profiles: number;
  /** Batches of the people that carry it; they are not counted beyond the limit. */
  readonly batches: number;
  /** It gets no tombstone, and no record is searched for it. */
  readonly isFiller: boolean;
}

/** A profile of nobody that is erased. */
export interface SharingProfile extends ProfileId {
  /** Types of the identities that it shares. */
  readonly types: readonly IdentityType[];
}

export interface Judged {
  readonly ordinary: readonly OrdinaryValue[];
  readonly sharing: readonly SharingProfile[];
}

/** Reads batches of the people for each ordinary value, up to the limit; takes no lock. */
export async function judgeIdentities(sql: Sql, judging: Judging, known: KnownPeople): Promise<Judged> {
  const identities = knownIdentities(known);
  const given = { workspaceId: known.workspaceId, people: known.people, identities };
  const holders = await holdersOf(sql, judging, given);
  const { loginTypes } = policyOf(judging.settings);
  const ordinary: OrdinaryValue[] = [];
  for (const [index, identity] of identities.entries()) {
    const { type, value } = identity;
    if (isDeviceId(type) || loginTypes.includes(type) || isTelling(value)) continue;
    const profiles = holders.filter(({ holds }) => holds.includes(index)).length;
    const batches = await batchesOf(sql, identity, { ...given, most: judging.fillerCarriers + 1 });
    const isNamed = known.named?.some((one) => one.type === type && one.value === value) ?? false;
    const isFiller = !isNamed && Math.max(profiles, batches) > judging.fillerCarriers;
    ordinary.push({ type, value, profiles, batches, isFiller });
  }
  const mpids = new Set(given.people.map(({ mpid }) => mpid));
  const sharing = holders.filter(({ mpid }) => !mpids.has(mpid));
  return {
    ordinary,
    sharing: sharing.map(({ environment, mpid, holds }) => ({
      ...{ environment, mpid },
      types: [...new Set(holds.map((index) => (identities[index] as Identity).type))],
    })),
  };
}

async function holdersOf(sql: Sql, { identityKey }: Judging, { workspaceId, identities }: PeopleInRooms) {
  const inBoth = (['production', 'development'] as const).map(async (environment) => {
    const holders = await findHolders(sql, identityKey, { workspaceId, environment, identities });
    return holders.map((holder) => ({ ...holder, environment }));
  });
  return (await Promise.all(inBoth)).flat();
}

async function batchesOf(
  sql: Sql,
  identity: Identity,
  { workspaceId, people, most }: PeopleInRooms & { readonly most: number },
): Promise<number> {
  let batches = 0;
  for (const person of people) {
    if (batches >= most) break;
    batches += await countCarriers(sql, { workspaceId, ...person }, { identity, most: most - batches });
  }
  return batches;
}
