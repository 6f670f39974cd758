import {
  createTombstones,
  type ErasedPeople,
  type Erasure,
  type Identity,
  runExclusively,
} from '../../../src/identity/index.ts';
import { Secret } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { SCOPE } from './deliver-people.ts';

/** Of the same installation as `testIdentities`. */
export const testTombstones = createTombstones(new Secret('the key of all tests'));

/** Erases people of the tests' workspace in a transaction of its own; by their MPIDs those of production. */
export async function erase(
  store: Store,
  mpids: readonly bigint[],
  erasure: Partial<Erasure> = {},
): Promise<ErasedPeople> {
  const people = mpids.map((mpid) => ({ environment: 'production' as const, mpid }));
  const { workspaceId } = SCOPE;
  return await runExclusively(store, erasure.workspaceId ?? workspaceId, (tx) =>
    testTombstones.erasePeople(tx, { workspaceId, people, nowMs: 1_700_000_000_000, ...erasure }),
  );
}

/** Answers how many tombstones went. */
export async function lift(store: Store, identities: readonly Identity[]): Promise<number> {
  const { workspaceId } = SCOPE;
  const keys = await runExclusively(store, workspaceId, (tx) => testTombstones.lift(tx, workspaceId, identities));
  return keys.length;
}
