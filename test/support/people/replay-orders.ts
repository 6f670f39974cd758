// Deliveries that run at the same time, compared with the model after each order in which they could have come.
import { expect } from 'vitest';
import type { Person, PersonOutcome, ResolutionScope } from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { PeopleModel } from './people-model.ts';
import { asModelled, modelledPeople, storedPeople } from './people-side-by-side.ts';

/** A person who was delivered, and what came of it. */
export interface Done {
  readonly person: Person;
  readonly outcome: PersonOutcome;
}

/** Deliveries `before` any other, and the lists of those `atOnce`, each in its own order. */
interface Deliveries {
  readonly before: readonly Done[];
  readonly atOnce: readonly (readonly Done[])[];
}

/** Expects that the outcomes and all that is stored are those of some order of the deliveries. */
export async function expectSomeOrder(
  store: Store,
  scope: ResolutionScope,
  { before, atOnce }: Deliveries,
): Promise<void> {
  const fitting = [...interleavings(atOnce)].flatMap((order) => replay(scope, [...before, ...order]) ?? []);
  expect(fitting, 'orders that give these outcomes').not.toEqual([]);
  const stored = await storedPeople(store, scope, []);
  expect(fitting.map(({ model, mpids }) => modelledPeople(model, mpids))).toContainEqual(stored);
}

/** Yields every way to put the lists into one that keeps the order of each. */
function* interleavings<Item>(lists: readonly (readonly Item[])[]): Generator<Item[], void, undefined> {
  const left = lists.filter((list) => list.length > 0);
  if (left.length === 0) yield [];
  for (const list of left) {
    const others = left.map((each) => (each === list ? list.slice(1) : each));
    for (const rest of interleavings(others)) yield [list[0] as Item, ...rest];
  }
}

/** Returns the model after the deliveries in this order, and the MPIDs of its profiles. Undefined: they came to something else. */
function replay(scope: ResolutionScope, order: readonly Done[]) {
  const model = new PeopleModel(scope.policy);
  const mpids: bigint[] = [];
  for (const { person: one, outcome } of order) {
    const expected = model.deliver(one, scope.mode);
    const isMade = typeof expected === 'object' && expected.number === mpids.length;
    if (isMade && 'mpid' in outcome && !mpids.includes(outcome.mpid)) mpids.push(outcome.mpid);
    const told = asModelled(outcome, (mpid) => mpids.indexOf(mpid));
    if (JSON.stringify(told) !== JSON.stringify(expected)) return undefined;
  }
  return { model, mpids };
}
