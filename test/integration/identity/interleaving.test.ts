// Deliveries that run at the same time must come to what they would have come to one after the other, in some order.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  DEFAULT_POLICY,
  deliverInTransaction,
  type Person,
  type ResolutionScope,
} from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { people, policiesOf, STRATEGIES } from '../../support/people/people-rows.ts';
import { type Done, expectSomeOrder } from '../../support/people/replay-orders.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let workers = 0;

/** A daemon that delivers chunks one after the other, every other one through staging tables as large ones go. */
async function work(store: Store, scope: ResolutionScope, chunks: readonly (readonly Person[])[]): Promise<Done[]> {
  const identities = testIdentities(workers++ % 2 === 0 ? {} : { smallChunkPeople: 0 });
  const done: Done[] = [];
  for (const chunk of chunks) {
    const prepared = await identities.prepare(scope, chunk);
    const { outcomes } = await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
      identities.deliver(tx, prepared, exclusive),
    );
    done.push(...outcomes.map((outcome, i) => ({ person: chunk[i] as Person, outcome })));
  }
  return done;
}

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

/**
 * One person with a login identity, another one, or both. With more kinds, or several people in a delivery, two could each
 * read what the other one is about to write: they then come to what no order comes to, and break nothing by it.
 */
const visits = fc
  .record({ customer_id: optional(fc.constantFrom('c1', 'c2')), email: optional(fc.constantFrom('a', 'b')) })
  .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)))
  .filter((given) => Object.keys(given).length > 0);
const visitors = fc
  .record({ given: visits, attributes: fc.constantFrom({}, { plan: '1' }, { plan: '2' }) })
  .map(({ given, attributes }): Person => {
    return { ...person(given, attributes), request: { isLogout: false, isReadOnly: false } };
  });

const priorities = fc.constantFrom(['customer_id', 'email'] as const, ['email', 'customer_id'] as const);

describe.each(STRATEGIES)('%s, several workers at once', (strategy) => {
  it('comes to what some order of the deliveries comes to', async () => {
    await using store = await openTestStore();
    let workspace = 1000n;
    const worker = fc.array(visitors, { minLength: 1, maxLength: 2 });
    const workers = fc.array(worker, { minLength: 2, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(priorities, fc.array(visitors, { maxLength: 2 }), workers, async (priority, before, at) => {
        const policy = { ...DEFAULT_POLICY, strategy, priority };
        const scope = { ...SCOPE, workspaceId: workspaceId(workspace++), policy };
        const first = await work(store, scope, [before]);
        const done = await Promise.all(
          at.map((people) =>
            work(
              store,
              scope,
              people.map((one) => [one]),
            ),
          ),
        );
        await expectSomeOrder(store, scope, { before: first, atOnce: done });
      }),
      { numRuns: 20 },
    );
  }, 600_000);

  it('leaves everybody whole, whatever they deliver', async () => {
    await using store = await openTestStore();
    let workspace = 100_000n;
    const chunk = fc.array(people, { minLength: 1, maxLength: 4 }).map((rows) => rows.map((row) => row.person));
    const workers = fc.array(fc.array(chunk, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(policiesOf(strategy), workers, async (policy, at) => {
        const scope = { ...SCOPE, workspaceId: workspaceId(workspace++), policy };
        await Promise.all(at.map((chunks) => work(store, scope, chunks)));
        await expectWholePeople(store, scope.workspaceId, { loginTypes: policy.loginTypes, withLogouts: true });
      }),
      { numRuns: 20 },
    );
  }, 600_000);
});
