import {
  createIdentities,
  type Delivered,
  deliverInTransaction,
  type Identities,
  type Identity,
  type IdentityType,
  type Person,
  type ResolutionScope,
} from '../../../src/identity/index.ts';
import { Secret, systemClock, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';

export const SCOPE: ResolutionScope = { workspaceId: workspaceId(7n), environment: 'production', mode: 'incremental' };

/** The identities of one daemon; all daemons of an installation share the key. */
export function testIdentities(options: { readonly smallChunkPeople?: number } = {}): Identities {
  return createIdentities({ key: new Secret('the key of all tests'), clock: systemClock, ...options });
}

export type Given = Readonly<Partial<Record<IdentityType, string>>>;

export function person(given: Given, attributes: Readonly<Record<string, string | null>> = {}, setAt = 1n): Person {
  const identities = Object.entries(given).map(([type, value]): Identity => ({ type: type as IdentityType, value }));
  const names = Object.keys(attributes);
  return { identities, attributes: { names, texts: Object.values(attributes) }, setAt };
}

/** Delivers one chunk in a transaction of its own. */
export async function deliver(store: Store, people: readonly Person[], scope = SCOPE): Promise<Delivered> {
  return await deliverWith(testIdentities(), store, { people, scope });
}

/** The same with identities of the test's own. */
export async function deliverWith(
  identities: Identities,
  store: Store,
  { people, scope }: { readonly people: readonly Person[]; readonly scope: ResolutionScope },
): Promise<Delivered> {
  const prepared = await identities.prepare(scope, people);
  return await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
    identities.deliver(tx, prepared, exclusive),
  );
}

/** MPIDs of a delivery in which nobody may fail. */
export function mpidsOf({ outcomes }: Delivered): bigint[] {
  return outcomes.map((outcome) => {
    if ('mpid' in outcome) return outcome.mpid;
    throw new Error(`a person failed: ${'erased' in outcome ? 'erased' : outcome.reason}`);
  });
}
