import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import { deliver, type Given, person, SCOPE } from '../../support/people/deliver-people.ts';
import { type Change, identityFaults, requestsOf } from '../../support/people/identity-requests.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Deterministic chance: the same for every run of the test. */
function diceOf(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 1 | state) + 0x6d2b79f5) >>> 0;
    return (state >>> 8) % sides;
  };
}

async function loginOwners(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ value: string }>(
    `SELECT identity ->> 1 AS value FROM profiles p, jsonb_array_elements(p.identities::jsonb) identity
     WHERE p.workspace_id = $1 AND identity ->> 0 = 'customer_id'`,
    [SCOPE.workspaceId],
  );
  return rows.map(({ value }) => value).sort();
}

type Dice = ReturnType<typeof diceOf>;

const VALUES: readonly (readonly [Change[0], string])[] = [
  ...range(6).map((i) => ['customer_id', `c${i}`] as const),
  ...range(6).map((i) => ['email', `e${i}@x`] as const),
  ...range(3).map((i) => ['mp_deviceid', `d${i}`] as const),
];

function someOf<Item>(items: readonly Item[], dice: Dice): Item {
  return items[dice(items.length)] as Item;
}

const someGiven = (dice: Dice): Given => Object.fromEntries([someOf(VALUES, dice), someOf(VALUES, dice)]);

function someChange(dice: Dice): Change {
  const [type, from] = someOf(VALUES, dice);
  const [, to] = someOf(
    VALUES.filter(([other]) => other === type),
    dice,
  );
  return [type, dice(2) === 0 ? null : from, dice(3) === 0 ? null : to];
}

/** One daemon that delivers batches and answers requests about the same few people. */
async function storm(store: Store, mpids: readonly bigint[], dice: Dice): Promise<void> {
  const daemon = requestsOf(store);
  for (const step of range(25)) {
    const people = range(5).map(() => person(someGiven(dice), { step: String(step) }, BigInt(step)));
    if (step % 5 === 0) await deliver(store, people);
    const asked = [
      daemon.ask(someOf(['identify', 'login', 'logout'] as const, dice), someGiven(dice)),
      daemon.modify(someOf(mpids, dice), [someChange(dice), someChange(dice)]),
      daemon.modify(someOf(mpids, dice), [someChange(dice)]),
    ];
    const refused = (await Promise.allSettled(asked)).flatMap((each) =>
      each.status === 'rejected' ? each.reason : [],
    );
    for (const error of refused) expect(error).toMatchObject({ code: 'IDENTITY_CONFLICT' });
  }
}

describe('several daemons at once', () => {
  it('give one profile to requests that introduce the same login identity', async () => {
    await using store = await openTestStore();
    const daemons = range(4).map(() => requestsOf(store));
    const logins = range(40).map((i) => `c${i % 10}`);
    const asked = daemons.flatMap((daemon) =>
      logins.map(async (customer) => {
        const { mpid } = await daemon.ask('login', { customer_id: customer, mp_deviceid: `d${customer}` });
        return `${customer} ${mpid}`;
      }),
    );
    const answers = new Set(await Promise.all(asked));
    expect(answers.size).toBe(10);
    expect(await loginOwners(store)).toEqual([...new Set(logins)].sort());
    expect(await identityFaults(store)).toEqual([]);
  });

  it('let one of many modifications have a login identity, and tell the others', async () => {
    await using store = await openTestStore();
    const daemons = range(4).map(() => requestsOf(store));
    const mpids = await Promise.all(
      range(16).map(async (i) => (await requestsOf(store).ask('identify', { email: `e${i}@x` })).mpid),
    );
    const changes: readonly Change[] = [['customer_id', null, 'c']];
    const tries = mpids.map((mpid, i) => daemons[i % 4]?.modify(mpid, changes));
    const results = await Promise.allSettled(tries);
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refused).toEqual(range(15).map(() => 'IDENTITY_CONFLICT'));
    expect(await loginOwners(store)).toEqual(['c']);
    expect(await identityFaults(store)).toEqual([]);
  });

  it('swap, pass on and give back identities while people are resolved, and leave everything whole', async () => {
    await using store = await openTestStore({ poolSize: 12 });
    const mpids = await Promise.all(
      range(8).map(
        async (i) => (await requestsOf(store).ask('identify', { other: `o${i}`, email: `e${i % 6}@x` })).mpid,
      ),
    );
    await Promise.all(range(4).map((seed) => storm(store, mpids, diceOf(seed + 1))));
    const logins = await loginOwners(store);
    expect(new Set(logins).size).toBe(logins.length);
    // a delivery that still saw an owner may leave the first slot free
    const faults = (await identityFaults(store)).filter((fault) => !fault.startsWith('without an owner'));
    expect(faults).toEqual([]);
  });
});
