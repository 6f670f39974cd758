import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deliverInTransaction, type ResolutionScope } from '../../../src/identity/index.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';
import { person, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const PEOPLE = 40;
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

/** The transaction, remembering the plan of each statement that reads or updates; the server calls itself `version`. */
function watchPlans(tx: Transaction, plans: string[], version: number): Transaction {
  const explain = async (...[query, values]: Parameters<Transaction['query']>) => {
    const lines = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${query}`, values);
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
  };
  return {
    ...tx,
    query: async (text, values) => {
      if (/^\s*WITH found/.test(text)) await explain(text, values);
      return tx.query(text.includes('server_version_num') ? `SELECT ${version} AS version` : text, values);
    },
    execute: async (text, values) => {
      if (/^\s*UPDATE/.test(text)) await explain(text, values);
      return await tx.execute(text, values);
    },
    copyOut: async (query, types, onRow) => {
      await explain(query);
      await tx.copyOut(query, types, onRow);
    },
  };
}

/** Delivers the people and answers the plans of what it did. */
async function plansOf(scope: ResolutionScope, version: number, value: string): Promise<readonly string[]> {
  const plans: string[] = [];
  const identities = testIdentities();
  // those without a customer_id are found by their e-mail
  const people = Array.from({ length: PEOPLE }, (_, i) => {
    const email = { email: `p${i}@example.org` };
    return person(i % 2 === 0 ? { customer_id: `c${i}`, ...email } : email, { city: value }, BigInt(value.length));
  });
  const prepared = await identities.prepare(scope, people);
  await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
    identities.deliver(watchPlans(tx, plans, version), prepared, exclusive),
  );
  return plans;
}

/** Lines of a plan that touch the two tables in any way but by an index with the staged values in its condition. */
function offences(plan: string): readonly string[] {
  const lines = plan.split('\n');
  return lines.filter((line, at) => {
    if (!/(Scan|Index|using) .*\bon profile(s|_identities)\b/.test(line)) return false;
    const condition = lines[at + 1] ?? '';
    const byStaged = /Index Cond: .*\b(key|mpid) = (ANY|s\.value|owners|people_)/.test(condition);
    return !(line.includes('Index Scan using') && byStaged && !/^\s*Filter:/.test(lines[at + 2] ?? ''));
  });
}

describe.each([170_000, 160_000])('statements of a delivery under server version %i', (version) => {
  const scopeOf = (id: bigint): ResolutionScope => ({
    workspaceId: workspaceId(id),
    environment: 'production',
    mode: 'full',
  });

  test.each([
    ['nobody gathered statistics', `SELECT 1`],
    ['statistics are older than the workspace', 'ANALYZE profiles, profile_identities'],
  ])('only follow an index by what the chunk brings, where %s', async (_case, gather) => {
    const scope = scopeOf(BigInt(version + gather.length));
    await plansOf(scopeOf(1n), version, 'Rome');
    await store.execute(gather);
    const plans = [...(await plansOf(scope, version, 'Rome')), ...(await plansOf(scope, version, 'Vienna'))];
    expect(plans.length).toBeGreaterThanOrEqual(5);
    expect(plans.flatMap(offences)).toEqual([]);
    if (version >= 170_000) expect(plans.join('\n')).not.toContain('Nested Loop');
  });
});

test.each([
  ['nobody gathered statistics', 300n, 'SELECT 1'],
  ['statistics are older than the workspace', 301n, 'ANALYZE profiles, profile_identities'],
])('a few people are looked up and updated by an index too, where %s', async (_case, id, gather) => {
  const scope: ResolutionScope = { workspaceId: workspaceId(id), environment: 'production', mode: 'incremental' };
  await store.execute(gather);
  await plansOf(scope, 170_000, 'Rome');
  const plans = await plansOf(scope, 170_000, 'Vienna');
  expect(plans).toHaveLength(2);
  for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on profile|Bitmap/);
});
