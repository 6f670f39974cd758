// An erasure and a delivery that meet: wherever one of them stands when the other begins, it comes to one after the other,
// and nothing of an erased person is committed behind the erasure.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEvents } from '../../../src/events/index.ts';
import { deliverInTransaction, type ResolutionScope, runExclusively } from '../../../src/identity/index.ts';
import { systemClock, type WorkspaceId, workspaceId } from '../../../src/kernel/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { deliver, type Given, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { testTombstones } from '../../support/people/erase-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

let workspaces = 1000n;
const nextScope = (): ResolutionScope => ({ ...SCOPE, workspaceId: workspaceId(workspaces++) });

/** Calls `onStep` before each statement. */
function stepping(tx: Transaction, onStep: () => Promise<void>): Transaction {
  const after =
    <Parameters extends readonly unknown[], Result>(call: (...given: Parameters) => Promise<Result>) =>
    async (...given: Parameters): Promise<Result> => {
      await onStep();
      return call(...given);
    };
  return {
    ...tx,
    query: after(tx.query.bind(tx)) as Transaction['query'],
    execute: after(tx.execute.bind(tx)),
    copyIn: after(tx.copyIn.bind(tx)),
    copyOut: after(tx.copyOut.bind(tx)),
  };
}

type Work = (tx: Transaction, exclusive: boolean) => Promise<unknown>;
type Deliverer = (scope: ResolutionScope, mpid: bigint) => Promise<Work>;

const ANN = { customer_id: 'ann', email: 'ann@x' } as const;

const ofPeople =
  (given: Given, options: { readonly smallChunkPeople?: number } = {}): Deliverer =>
  async (scope) => {
    const identities = testIdentities(options);
    const prepared = await identities.prepare(scope, [person(given, { city: '"ann-rome"' })]);
    return (tx, exclusive) => identities.deliver(tx, prepared, exclusive);
  };

/** A batch that says nothing of the person changes no profile; it is kept all the same. */
const ofBatches: Deliverer = async (scope) => {
  const events = createEvents({ identities: testIdentities(), clock: systemClock });
  const prepared = await events.prepare(scope, [{ person: person(ANN), text: '{"events":["ann-batch"]}' }]);
  return (tx, exclusive) => events.deliver(tx, prepared, exclusive);
};

/** Puts an identity of the person on somebody else. */
const ofModify: Deliverer = async (scope) => {
  const [bob = 0n] = mpidsOf(await deliver(store, [person({ customer_id: 'bob' })], scope));
  const to = { type: 'email', value: 'ann@x' } as const;
  const modifications = [{ mpid: bob, changes: [{ from: undefined, to }], isPublic: false }];
  return (tx, exclusive) => testIdentities().modify(tx, { ...scope, modifications }, exclusive);
};

const ofMpid: Deliverer = async (scope, mpid) => {
  const identities = testIdentities();
  const prepared = await identities.prepare(scope, [{ ...person({}, { city: '"ann-rome"' }), mpid }]);
  return (tx, exclusive) => identities.deliver(tx, prepared, exclusive);
};

/** As `dsr` does: the people, and what else there is by their MPIDs. */
const erasing =
  ({ workspaceId: id }: ResolutionScope, mpid: bigint) =>
  async (tx: Transaction) => {
    const people = [{ environment: 'production', mpid }] as const;
    await testTombstones.erasePeople(tx, { workspaceId: id, people, nowMs: 0 });
    await tx.execute('DELETE FROM event_batches WHERE workspace_id = $1 AND mpid = $2', [id, mpid]);
  };

const isWaiting = async () =>
  (await store.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
    .length > 0;

/** Begins `other` before statement `step` of `one`, which goes on once `other` is over or waits. Answers how many steps there were. */
async function meet(
  one: (onStep: () => Promise<void>) => Promise<unknown>,
  other: () => Promise<unknown>,
  step: number,
) {
  let steps = 0;
  let second: Promise<unknown> | undefined;
  await one(async () => {
    if (steps++ !== step || second !== undefined) return;
    let isOver = false;
    second = other().finally(() => {
      isOver = true;
    });
    second.catch(() => undefined);
    await until(async () => isOver || (await isWaiting()));
  });
  await second;
  return steps;
}

async function expectGone({ workspaceId: id }: ResolutionScope, mpid: bigint): Promise<void> {
  const both = await store.query(
    `SELECT 1 FROM tombstones t JOIN profile_identities i ON i.workspace_id = $1 AND i.key = t.key WHERE t.workspace_id = $1`,
    [id],
  );
  expect(both, 'a profile holds what was erased').toEqual([]);
  for (const table of ['profiles', 'event_batches']) {
    const left = await store.query(`SELECT 1 FROM ${table} WHERE workspace_id = $1 AND mpid = $2`, [id, mpid]);
    expect(left, table).toEqual([]);
  }
  await expectWholePeople(store, id);
}

const MOST_STEPS = 40;

describe.each([
  ['a row of the person', ofPeople(ANN)],
  ['a row of the person that is staged', ofPeople(ANN, { smallChunkPeople: 0 })],
  ['a row that adds an identity', ofPeople({ ...ANN, other: 'more' })],
  ['a row that makes another person of a shared identity', ofPeople({ email: 'ann@x' })],
  ['a row with the MPID alone', ofMpid],
  ['a batch', ofBatches],
  ['a modify request of somebody else', ofModify],
] as const)('%s and an erasure', (_, deliverer) => {
  it('come one after the other, wherever the delivery is when the erasure begins', async () => {
    for (let step = 0, steps = MOST_STEPS; step < steps; step++) {
      const scope = nextScope();
      const [mpid = 0n] = mpidsOf(await deliver(store, [person(ANN)], scope));
      const work = await deliverer(scope, mpid);
      steps = await meet(
        (onStep) =>
          deliverInTransaction(store, scope.workspaceId, (tx, exclusive) => work(stepping(tx, onStep), exclusive)),
        () => store.transaction(erasing(scope, mpid)),
        step,
      );
      await expectGone(scope, mpid);
    }
  });

  it('come one after the other, wherever the erasure is when the delivery begins', async () => {
    for (let step = 0, steps = MOST_STEPS; step < steps; step++) {
      const scope = nextScope();
      const [mpid = 0n] = mpidsOf(await deliver(store, [person(ANN)], scope));
      const work = await deliverer(scope, mpid);
      steps = await meet(
        (onStep) => store.transaction((tx) => erasing(scope, mpid)(stepping(tx, onStep))),
        () => deliverInTransaction(store, scope.workspaceId, work),
        step,
      );
      await expectGone(scope, mpid);
    }
  });
});

describe('deliveries, erasures and lifts of the same people at once', () => {
  const given = fc
    .record(
      {
        customer_id: fc.constantFrom('c1', 'c2'),
        email: fc.constantFrom('a', 'b', 'c'),
        mp_deviceid: fc.constantFrom('d1', 'd2'),
      },
      { requiredKeys: [] },
    )
    .filter((identities) => Object.keys(identities).length > 0);
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ what: fc.constant('deliver'), given }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('erase'), given }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('lift'), given }) },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('login'), given }) },
  );
  const identitiesOf = (all: Given) => person(all).identities;

  async function take(id: WorkspaceId, { what, given: all }: { readonly what: string; readonly given: Given }) {
    const scope = { ...SCOPE, workspaceId: id };
    if (what === 'deliver') return await deliver(store, [person(all, { who: JSON.stringify(all) })], scope);
    if (what === 'login') {
      const request = { isLogout: false, isReadOnly: false };
      return await deliver(store, [{ ...person(all), request }], scope);
    }
    return await runExclusively(store, id, async (tx) => {
      if (what === 'lift') return await testTombstones.lift(tx, id, identitiesOf(all));
      const [first] = identitiesOf(all);
      const profiles = first === undefined ? [] : await testIdentities().findProfiles(tx, scope, first);
      const people = profiles.slice(0, 1).map(({ mpid }) => ({ environment: 'production' as const, mpid }));
      return await testTombstones.erasePeople(tx, { workspaceId: id, people, nowMs: 0 });
    });
  }

  it('leave no profile that holds what has a tombstone, and everybody else whole', async () => {
    const worker = fc.array(step, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(worker, { minLength: 2, maxLength: 4 }), async (workers) => {
        const scope = nextScope();
        await Promise.all(
          workers.map(async (steps) => {
            for (const one of steps) await take(scope.workspaceId, one);
          }),
        );
        await expectGone(scope, 0n);
      }),
      { numRuns: 40 },
    );
  }, 300_000);
});
