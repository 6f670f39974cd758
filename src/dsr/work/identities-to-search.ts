import {
  type HeldIdentity,
  type Identity,
  type ProfileId,
  readFormerIdentities,
  readProfile,
} from '../../identity/index.ts';
import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { unsharedIdentities } from './unshared-identities.ts';

/** Returns the identities that the people hold or held, for each profile. */
export async function readHeldIdentities(
  sql: Sql,
  workspaceId: WorkspaceId,
  people: readonly ProfileId[],
): Promise<readonly HeldIdentity[]> {
  const held: HeldIdentity[] = [];
  for (const { environment, mpid } of people) {
    const scope = { workspaceId, environment };
    const profile = await readProfile(sql, scope, mpid);
    held.push(...(profile?.identities ?? []), ...(await readFormerIdentities(sql, scope, mpid)));
  }
  return held;
}

export interface KnownPeople {
  readonly workspaceId: WorkspaceId;
  readonly people: readonly ProfileId[];
  /** Identities that the request names. */
  readonly named?: readonly Identity[];
  readonly held: readonly HeldIdentity[];
  readonly withheld?: readonly Identity[];
}

/**
 * Returns the identities of people, each once, without unverified ones. Anybody with a public key can write a stranger's value,
 * or a date, to a profile. A record that also names a verified identity is found by that one.
 */
export function verifiedIdentities({ named = [], held }: Pick<KnownPeople, 'named' | 'held'>): readonly Identity[] {
  const known = [...named, ...held.filter(({ isUnverified }) => !isUnverified)];
  return [...new Map(known.map(({ type, value }) => [nameOf({ type, value }), { type, value }])).values()];
}

/** Returns the identities by which records of the people are searched. Preview, erasure and reapply share this. */
export async function identitiesToSearch(
  sql: Sql,
  identityKey: Secret,
  known: KnownPeople,
): Promise<readonly Identity[]> {
  const { workspaceId, people, withheld = [] } = known;
  const without = new Set(withheld.map(nameOf));
  const identities = verifiedIdentities(known).filter((identity) => !without.has(nameOf(identity)));
  return await unsharedIdentities(sql, identityKey, { workspaceId, people, identities });
}

const nameOf = ({ type, value }: Identity): string => `${type}\n${value}`;
