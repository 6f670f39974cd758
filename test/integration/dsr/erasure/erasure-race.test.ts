// An erasure whose person is just being delivered: it finds whom the delivery under way commits.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deliverInTransaction } from '../../../../src/identity/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { fakeClock } from '../../../support/clocks/fake-clock.ts';
import { until } from '../../../support/clocks/until.ts';
import { person, SCOPE, testIdentities } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const DAY_MS = 86_400_000;

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  await addWorkspace(store, workspaceId);
});
afterAll(() => store[Symbol.asyncDispose]());

const isWaiting = async () =>
  (await store.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`))
    .length > 0;

it('erases a person whom a delivery under way commits while the erasure waits', async () => {
  const clock = fakeClock();
  clock.advance(DAY_MS);
  const ann = randomUUID();
  const identities = testIdentities();
  const prepared = await identities.prepare(SCOPE, [person({ customer_id: ann })]);
  const request = await insertErasure(store, { identities: [{ type: 'customer_id', value: ann }] });
  let erasure: Promise<unknown> | undefined;
  await deliverInTransaction(store, workspaceId, async (tx, exclusive) => {
    await identities.deliver(tx, prepared, exclusive);
    erasure ??= work(workDeps(store, clock), request);
    await until(isWaiting);
  });
  await erasure;
  expect(await store.query('SELECT 1 FROM profiles WHERE workspace_id = $1', [workspaceId])).toEqual([]);
  const row = await readRequest(store, request);
  expect(row.status).toBe('completed');
  expect(JSON.parse(String(row.counts))).toMatchObject({ identity: { profiles: 1, identities: 1 } });
});
