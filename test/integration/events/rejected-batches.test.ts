import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRecordRejections, expireRejected } from '../../../src/events/log/rejected-batches.ts';
import { workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const DAY_MS = 86_400_000;
const [OURS, THEIRS] = [workspaceId(1n), workspaceId(2n)];

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

test('rejected batches go with the retention of their workspace, and with no other', async () => {
  const clock = fakeClock();
  const record = createRecordRejections({ store, clock, identities: testIdentities() });
  const reject = (id: typeof OURS, count: number) => {
    const rejection = { text: '{}', issues: [{ path: 'ip', message: 'is none' }] };
    const rejections = Array.from({ length: count }, () => rejection);
    return record({ workspaceId: id, key: 'k', path: '/v2/bulkevents', rejections });
  };
  // more than one statement deletes
  await reject(OURS, 1_001);
  await reject(THEIRS, 1);
  clock.advance(DAY_MS);
  await reject(OURS, 1);
  const retention = { workspaceId: OURS, failedRecordsSince: new Date(clock.nowMs()) };
  const idle = AbortSignal.abort();
  expect(await expireRejected(store, retention, idle)).toBe(0);
  expect(await expireRejected(store, retention, new AbortController().signal)).toBe(1_001);
  const left = await store.query(
    'SELECT workspace_id, count(*)::int4 AS n FROM rejected_batches GROUP BY 1 ORDER BY 1',
  );
  expect(left).toEqual([
    { workspace_id: OURS, n: 1 },
    { workspace_id: THEIRS, n: 1 },
  ]);
});
