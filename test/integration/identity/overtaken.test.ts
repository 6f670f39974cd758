// A delivery that another one overtakes, before each of its statements in turn, must come to what some order comes to.
import { expect, test } from 'vitest';
import {
  DEFAULT_POLICY,
  deliverInTransaction,
  type Person,
  type ResolutionPolicy,
  type ResolutionScope,
} from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { type Done, expectSomeOrder } from '../../support/people/replay-orders.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

type Given = Parameters<typeof person>[0];

const visit = (given: Given, attributes: Readonly<Record<string, string>> = {}): Person => {
  return { ...person(given, attributes), request: { isLogout: false, isReadOnly: false } };
};

const KNOWN = visit({ customer_id: 'c1', email: 'b' }, { plan: '1' });
/** Identities of the late delivery and of the one that overtakes it. */
const PAIRS: readonly (readonly [Given, Given])[] = [
  [
    { customer_id: 'c1', email: 'a' },
    { customer_id: 'c1', email: 'a' },
  ],
  [
    { customer_id: 'c2', email: 'a' },
    { customer_id: 'c2', email: 'a' },
  ],
  [{ email: 'a' }, { customer_id: 'c1', email: 'a' }],
  [{ customer_id: 'c1', email: 'b' }, { customer_id: 'c1' }],
];

interface Delivering {
  readonly one: Person;
  readonly isStaged: boolean;
  /** Waited for before each statement of the first try. */
  readonly gate?: (statement: number) => Promise<void>;
}

/** Delivers one person. A delivery that lost a race is tried again, and then runs through. */
async function deliver(store: Store, scope: ResolutionScope, { one, isStaged, gate }: Delivering): Promise<Done[]> {
  const identities = testIdentities(isStaged ? { smallChunkPeople: 0 } : {});
  const prepared = await identities.prepare(scope, [one]);
  const { outcomes } = await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) => {
    return identities.deliver(gate === undefined || exclusive ? tx : gated(tx, gate), prepared, exclusive);
  });
  return outcomes.map((outcome): Done => ({ person: one, outcome }));
}

function gated(tx: Transaction, gate: (statement: number) => Promise<void>): Transaction {
  let statements = 0;
  const pass = () => gate(statements++);
  return {
    ...tx,
    query: (...given) => pass().then(() => tx.query(...given)),
    execute: (...given) => pass().then(() => tx.execute(...given)),
    copyIn: (...given) => pass().then(() => tx.copyIn(...given)),
    copyOut: (...given) => pass().then(() => tx.copyOut(...given)),
  };
}

/** Tells whether a session of the store waits for a lock. */
async function isHeldUp(store: Store): Promise<boolean> {
  const [row] = await store.query<{ count: bigint }>(
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return (row?.count ?? 0n) > 0n;
}

let workspace = 1n;

interface Overtaking {
  readonly policy: ResolutionPolicy;
  readonly late: Person;
  readonly other: Person;
  readonly isStaged: boolean;
  readonly statement: number;
}

/** Lets `other` overtake `late` before the statement. Returns false where `late` has fewer statements. */
async function overtake(store: Store, given: Overtaking): Promise<boolean> {
  const scope: ResolutionScope = { ...SCOPE, workspaceId: workspaceId(workspace++), policy: given.policy };
  const before = await deliver(store, scope, { one: KNOWN, isStaged: false });
  let overtaking: Promise<Done[]> | undefined;
  const gate = async (statement: number) => {
    if (statement !== given.statement || overtaking !== undefined) return;
    const over = new AbortController();
    overtaking = deliver(store, scope, { one: given.other, isStaged: false }).finally(() => over.abort());
    await until(async () => over.signal.aborted || (await isHeldUp(store)));
  };
  const late = await deliver(store, scope, { one: given.late, isStaged: given.isStaged, gate });
  if (overtaking === undefined) return false;
  await expectSomeOrder(store, scope, { before, atOnce: [late, await overtaking] });
  return true;
}

const CASES = (['profile_link', 'best_match'] as const).flatMap((strategy) => [
  { strategy, isStaged: true },
  { strategy, isStaged: false },
]);

test.each(CASES)('$strategy, through staging tables: $isStaged', async ({ strategy, isStaged }) => {
  await using store = await openTestStore();
  const policy = { ...DEFAULT_POLICY, strategy };
  for (const [late, other] of PAIRS) {
    const people = { late: visit(late, { plan: '1' }), other: visit(other, { plan: '2' }) };
    let statement = 0;
    while (await overtake(store, { policy, ...people, isStaged, statement })) statement++;
    expect(statement).toBeGreaterThan(1);
  }
});
