import { findHolders, type Identity } from '../../identity/index.ts';
import type { Secret } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { PeopleToErase } from './erase-records.ts';

/**
 * Returns the identities that only these people hold, each once. A record that names a shared one, such as a family's device,
 * may be about somebody else.
 */
export async function unsharedIdentities(
  sql: Sql,
  identityKey: Secret,
  { workspaceId, people, identities }: PeopleToErase,
): Promise<readonly Identity[]> {
  const byName = new Map(identities.map((identity) => [`${identity.type}\n${identity.value}`, identity]));
  const distinct = [...byName.values()];
  const mpids = new Set(people.map(({ mpid }) => mpid));
  const shared = new Set<number>();
  for (const environment of ['production', 'development'] as const) {
    const holders = await findHolders(sql, identityKey, { workspaceId, environment, identities: distinct });
    for (const { holds } of holders.filter(({ mpid }) => !mpids.has(mpid))) {
      for (const index of holds) shared.add(index);
    }
  }
  return distinct.filter((_, index) => !shared.has(index));
}
