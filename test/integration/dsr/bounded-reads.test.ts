// Passes over all requests or forwards of a store hold few of them at a time.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enqueueDueForwards } from '../../../src/dsr/forwarding/register-forwarding.ts';
import { dsrForwards } from '../../../src/dsr/forwarding/tables.ts';
import type { Store } from '../../../src/store/index.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;

const clock = fakeClock();
let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const forward = (requestId: string) => ({
  ...{ workspaceId, requestId, partnerId: 'mail', domain: 'mail.example', name: 'Mail', status: 'pending' },
  ...{ queuedOn: new Date(clock.nowMs()), nextAttemptOn: new Date(clock.nowMs()) },
});

it('wakes at most 2,000 forwarded requests a pass, the longest due first', async () => {
  await store.execute('DELETE FROM dsr_forwards');
  const early = forward(randomUUID());
  const others = Array.from({ length: 2001 }, () => forward(randomUUID()));
  await store.orm.insert(dsrForwards).values(others);
  await store.orm.insert(dsrForwards).values({ ...early, nextAttemptOn: new Date(clock.nowMs() - 1) });
  const keys: string[] = [];
  const jobs = { enqueue: async (_tx: unknown, _queue: string, { key }: { key: string }) => void keys.push(key) };
  await enqueueDueForwards({ store, clock, jobs }, new AbortController().signal);
  expect([keys.length, new Set(keys).size]).toEqual([2000, 2000]);
  expect(keys).toContain(`${workspaceId}/${early.requestId}`);
});
