// The people of the demo, grouped by the first four digits of their customer_id: at most ten each, so nobody is left out, and
// what the groups add up to is what the data set adds up to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { deliver, person, SCOPE } from '../../support/people/deliver-people.ts';
import { openTestGroups, WORKSPACE } from '../../support/people/groups.ts';

const SOURCE = join(import.meta.dirname, '../../../demo/cdnow-purchases.csv.gz');

/** In hundredths, by customer_id. */
function amounts(): Map<string, number> {
  const spent = new Map<string, number>();
  for (const line of gunzipSync(readFileSync(SOURCE)).toString().trim().split('\n').slice(1)) {
    const [customer = '', , , amount = ''] = line.split(',');
    spent.set(customer, (spent.get(customer) ?? 0) + Math.round(Number(amount) * 100));
  }
  return spent;
}

const inHundredths = (text: string | null | undefined) => Math.round(Number(text) * 100);

test('groups of ten buyers leave nobody out, and their sums add up to the data set’s', async () => {
  await using groups = await openTestGroups();
  await groups.define({ source_user_attribute: 'prefix', attributes: [{ id: 'amount', type: 'sum' }] });
  const spent = amounts();
  const people = Array.from(spent, ([customer_id, amount]) =>
    person({ customer_id }, { prefix: JSON.stringify(customer_id.slice(0, 4)), amount: (amount / 100).toFixed(2) }),
  );
  const { outcomes } = await deliver(groups.deps.store, people, { ...SCOPE, workspaceId: WORKSPACE });
  const { counts } = await groups.run();
  const prefixes = new Set([...spent.keys()].map((customer) => customer.slice(0, 4)));
  expect(counts.production).toEqual({
    ...{ profiles: spent.size, groups: prefixes.size, members: spent.size, leftOut: 0, changedProfiles: spent.size },
  });
  const sums = await groups.deps.store.query<{ sum: string }>(
    `SELECT attributes::json ->> 'acme:amount' AS sum FROM group_attributes WHERE workspace_id = $1`,
    [WORKSPACE],
  );
  const total = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0);
  expect(total(sums.map(({ sum }) => inHundredths(sum)))).toBe(total([...spent.values()]));
  const ofFirst = [...spent].filter(([customer]) => customer.startsWith('0000')).map(([, amount]) => amount);
  const [first] = outcomes;
  const seen = first !== undefined && 'mpid' in first ? await groups.inherited(first.mpid) : undefined;
  expect(inHundredths(seen?.amount)).toBe(total(ofFirst));
});
