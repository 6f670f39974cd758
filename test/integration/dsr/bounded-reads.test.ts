// What looks at all requests or forwards of a store holds few of them at a time.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forwardContext } from '../../../src/dsr/forwarding/forward-request.ts';
import { wakeForwards } from '../../../src/dsr/forwarding/register-forwarding.ts';
import { dsrForwards } from '../../../src/dsr/forwarding/tables.ts';
import { reencryptRequests } from '../../../src/dsr/reencrypt-requests.ts';
import { sealEncodedRequest, sealSubject } from '../../../src/dsr/request.ts';
import { Secret } from '../../../src/kernel/index.ts';
import type { Sql, Store } from '../../../src/store/index.ts';
import { SCOPE } from '../../support/deliver-people.ts';
import { insertRequest } from '../../support/dsr-requests.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { testKeyRing } from '../../support/test-access.ts';
import { openTestStore } from '../../support/test-store.ts';

const { workspaceId } = SCOPE;
const ROWS = 201;

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

it('writes everything anew, and reads it in pages', async () => {
  const old = testKeyRing('test');
  for (let index = 0; index < ROWS; index++) {
    const key = { workspaceId, id: randomUUID() };
    const subject = sealSubject(old, key, { identities: [], mpids: [] });
    await insertRequest(store, { ...key, subject, encodedRequest: sealEncodedRequest(old, key, '{}') });
    const body = old.encrypt(new Secret('{}'), forwardContext({ workspaceId, requestId: key.id, partnerId: 'mail' }));
    await store.orm.insert(dsrForwards).values({ ...forward(key.id), body });
  }
  const sizes: number[] = [];
  const watched: Sql = {
    ...{ orm: store.orm, execute: (text, values) => store.execute(text, values) },
    async query<Row extends object>(text: string, values?: Parameters<Sql['query']>[1]) {
      const rows = await store.query<Row>(text, values);
      sizes.push(rows.length);
      return rows;
    },
  };
  const both = testKeyRing('next', 'test');
  expect(await reencryptRequests(watched, both)).toMatchObject({ dsrRequests: ROWS, dsrForwards: ROWS });
  expect(Math.max(...sizes)).toBe(100);
  expect(await reencryptRequests(store, both)).toMatchObject({ dsrRequests: 0, dsrForwards: 0 });
});

it('wakes at most 2,000 forwarded requests a pass, the longest due first', async () => {
  await store.execute('DELETE FROM dsr_forwards');
  const early = forward(randomUUID());
  const others = Array.from({ length: 2001 }, () => forward(randomUUID()));
  await store.orm.insert(dsrForwards).values(others);
  await store.orm.insert(dsrForwards).values({ ...early, nextAttemptOn: new Date(clock.nowMs() - 1) });
  const keys: string[] = [];
  const jobs = { enqueue: async (_tx: unknown, _queue: string, { key }: { key: string }) => void keys.push(key) };
  await wakeForwards({ store, clock, jobs }, new AbortController().signal);
  expect([keys.length, new Set(keys).size]).toEqual([2000, 2000]);
  expect(keys).toContain(`${workspaceId}/${early.requestId}`);
});
