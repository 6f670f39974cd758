// Requests and modifications through several daemons, beside a pipeline, all about the same few people.
import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  createIdentityRequests,
  DEFAULT_POLICY,
  type IdentityRequests,
  type ResolutionScope,
} from '../../../src/identity/index.ts';
import { AppError, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliver, type Given, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { identitiesOf } from '../../support/people/identity-requests.ts';
import { givens, STRATEGIES } from '../../support/people/people-rows.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

/** One thing that a daemon does. */
type Deed = (daemon: Daemon) => Promise<unknown>;

interface Daemon {
  readonly store: Store;
  readonly scope: ResolutionScope;
  readonly requests: IdentityRequests;
  /** Of the profiles that were there before. */
  readonly mpids: readonly bigint[];
}

const asks: fc.Arbitrary<Deed> = fc
  .record({ verb: fc.constantFrom('identify', 'login', 'logout', 'search'), given: givens, isReadOnly: fc.boolean() })
  .map(({ verb, given, isReadOnly }) => ({ scope: { mode: _, ...scope }, requests }) => {
    return requests.resolve({ ...scope, verb, identities: identitiesOf(given), isReadOnly });
  });

type Change = Parameters<IdentityRequests['modify']>[0]['changes'][number];

const changes: fc.Arbitrary<Change> = fc
  .tuple(givens, givens, fc.constantFrom('customer_id', 'email', 'mp_deviceid'))
  .map(([before, after, type]) => ({ from: one(before, type), to: one(after, type) }));

function one(given: Given, type: 'customer_id' | 'email' | 'mp_deviceid') {
  const value = given[type];
  return value === undefined ? undefined : { type, value };
}

const modifications: fc.Arbitrary<Deed> = fc
  .record({ which: fc.nat({ max: 3 }), changes: fc.array(changes, { minLength: 1, maxLength: 3 }) })
  .map(({ which, changes }) => ({ scope: { mode: _, ...scope }, requests, mpids }) => {
    return requests.modify({ ...scope, mpid: mpids[which] ?? 1n, changes, isPublic: false });
  });

const runs: fc.Arbitrary<Deed> = fc
  .tuple(fc.array(givens, { minLength: 1, maxLength: 4 }), fc.constantFrom('full' as const, 'incremental' as const))
  .map(([rows, mode]) => ({ store, scope }) => {
    return deliver(
      store,
      rows.map((given) => person(given, { plan: '1' })),
      { ...scope, mode },
    );
  });

const MAY_BE = ['NOT_FOUND', 'IDENTITY_CONFLICT', 'IDENTITY_MISSING'];

async function work(daemon: Daemon, deeds: readonly Deed[]): Promise<void> {
  for (const deed of deeds) {
    await deed(daemon).catch((error: unknown) => {
      if (!(error instanceof AppError) || !MAY_BE.includes(error.code)) throw error;
    });
  }
  await daemon.requests.drain();
}

describe.each(STRATEGIES)('%s', (strategy) => {
  it('leaves everybody whole, whatever several daemons are asked at once', async () => {
    await using store = await openTestStore();
    let workspace = 1000n;
    const deeds = fc.array(fc.oneof(asks, modifications, runs), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(givens, { maxLength: 4 }),
        fc.array(deeds, { minLength: 2, maxLength: 4 }),
        async (before, at) => {
          const scope = { ...SCOPE, workspaceId: workspaceId(workspace++), policy: { ...DEFAULT_POLICY, strategy } };
          const named = before.filter((given) => Object.keys(given).length > 0);
          const mpids = mpidsOf(
            await deliver(
              store,
              named.map((given) => person(given)),
              scope,
            ),
          );
          const daemon = () => ({
            store,
            scope,
            mpids,
            requests: createIdentityRequests({ store, identities: testIdentities() }),
          });
          await Promise.all(at.map((each) => work(daemon(), each)));
          // a modification may leave a profile without identities too
          await expectWholePeople(store, scope.workspaceId, { withLogouts: true });
        },
      ),
      { numRuns: 20 },
    );
  }, 600_000);
});
