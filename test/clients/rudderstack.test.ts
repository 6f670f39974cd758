// The SDK of RudderStack for Node with its data plane set to a daemon.
import Analytics from '@rudderstack/rudder-sdk-node';
import { expect, test } from 'vitest';
import { startClientDaemon } from '../support/crashes/client-daemon.ts';

const DEVICE = '6d1fe2a4-0d0f-4b3a-9a53-1f1f4a8a9c11';

test('@rudderstack/rudder-sdk-node delivers every kind of call', async () => {
  await using daemon = await startClientDaemon(['write_key']);
  // the first call goes out at once, the others when asked
  const client = new Analytics(daemon.key, { dataPlaneUrl: daemon.url, retryCount: 0, flushInterval: 60_000 });
  client.page({ anonymousId: DEVICE, name: 'Home', properties: { path: '/' } });
  client.identify({ userId: 'u1', anonymousId: DEVICE, traits: { email: 'Ann@example.com', plan: 'pro' } });
  client.track({
    userId: 'u1',
    event: 'Order Completed',
    timestamp: new Date('2026-01-31T12:00:00Z'),
    properties: { order_id: 'o1', total: 19.9, products: [{ product_id: 'lamp', price: 19.9 }] },
  });
  client.screen({ userId: 'u1', name: 'Cart' });
  client.group({ userId: 'u1', groupId: 'g1' });
  client.alias({ userId: 'u1', previousId: DEVICE });
  await client.flush();

  const kept = await daemon.batches();
  const types = kept.map(
    ({ batch }) => (batch.events as readonly { event_type: string }[] | undefined)?.[0]?.event_type,
  );
  expect(types).toEqual(['screen_view', undefined, 'commerce_event', 'screen_view', 'custom_event', undefined]);
  // later by as long as it was on its way
  expect(Number(kept[2]?.batch.timestamp_unixtime_ms)).toBeCloseTo(Date.parse('2026-01-31T12:00:00Z'), -5);
  expect(kept[2]?.batch).toMatchObject({ sdk_version: expect.stringMatching(/^analytics-node 3/) });
  expect(new Set(kept.map(({ mpid }) => mpid)).size).toBe(1);
  expect(await daemon.profiles()).toEqual([{ plan: 'pro' }]);
}, 900_000);
