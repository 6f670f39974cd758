// Pipelines, event batches and identity requests of several daemons bring the same new people at the same time.
import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Identity } from '../../../src/identity/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { deliverBatches, mpidsOfBatches } from '../../support/batches/deliver-batches.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { expectWholePeople } from '../../support/people/expect-whole-people.ts';
import { requestsOf } from '../../support/people/identity-requests.ts';
import { STRATEGIES } from '../../support/people/people-rows.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const CUSTOMERS = 60;
const numbers = Array.from({ length: CUSTOMERS }, (_, i) => i);
/** Half of them were seen before, as e-mail addresses. */
const givenOf = (i: number) => ({ customer_id: `c${i}`, email: `e${i}@x`, mp_deviceid: `d${i % 7}` }) as const;

type Scope = typeof SCOPE;

/** MPID of each customer, in order, as a door answers it. */
type Door = (store: Store, scope: Scope) => Promise<(bigint | undefined)[]>;

const pipeline: Door = async (store, scope) => {
  const rows = numbers.map((i) => person({ customer_id: `c${i}`, email: `e${i}@x` }, { plan: '"gold"' }));
  const mpids = [];
  for (let from = 0; from < CUSTOMERS; from += 20) {
    mpids.push(...mpidsOf(await deliver(store, rows.slice(from, from + 20), { ...scope, mode: 'full' })));
  }
  return mpids;
};

const events: Door = async (store, scope) => {
  const batches = numbers.toReversed().map((i) => ({ person: person(givenOf(i)), text: '{"events":[]}' }));
  const mpids = [];
  for (let from = 0; from < CUSTOMERS; from += 15) {
    mpids.push(...mpidsOfBatches(await deliverBatches(store, batches.slice(from, from + 15), { scope })));
  }
  return mpids.reverse();
};

const requests: Door = async (store, { policy = DEFAULT_POLICY }) => {
  const daemon = requestsOf(store);
  const answers = await Promise.all(numbers.map((i) => daemon.ask('login', givenOf(i), { policy })));
  expect(answers.filter(({ isLoggedIn }) => !isLoggedIn)).toEqual([]);
  return answers.map(({ mpid }) => mpid);
};

describe.each(STRATEGIES)('%s', (strategy) => {
  it('gives each new login identity one profile, whichever doors it comes through at once', async () => {
    await using store = await openTestStore();
    const scope: Scope = { ...SCOPE, policy: { ...DEFAULT_POLICY, strategy } };
    const anonymous = numbers.filter((i) => i % 2 === 0).map((i) => person({ email: `e${i}@x` }));
    await deliver(store, anonymous, scope);
    const doors = [pipeline, events, requests, requests];
    const [first, ...others] = await Promise.all(doors.map((door) => door(store, scope)));
    for (const mpids of others) expect(mpids).toEqual(first);
    expect(new Set(first).size).toBe(CUSTOMERS);
    await expectWholePeople(store, SCOPE.workspaceId);
    const owners = await ownersOf(store, { type: 'customer_id', value: 'c0' });
    expect(owners).toEqual([first?.[0]]);
  });
});

async function ownersOf(store: Store, { type, value }: Identity): Promise<bigint[]> {
  const rows = await store.query<{ mpid: bigint }>(
    'SELECT mpid FROM profiles WHERE workspace_id = $1 AND identities::jsonb @> $2::jsonb',
    [SCOPE.workspaceId, JSON.stringify([[type, value]])],
  );
  return rows.map(({ mpid }) => mpid);
}
