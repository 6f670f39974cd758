// The SDK of Segment for Node with its host set to a daemon.
import { Analytics } from '@segment/analytics-node';
import { expect, test } from 'vitest';
import { startClientDaemon } from '../support/crashes/client-daemon.ts';

const DEVICE = '6d1fe2a4-0d0f-4b3a-9a53-1f1f4a8a9c11';

test('@segment/analytics-node delivers every kind of call', async () => {
  await using daemon = await startClientDaemon(['write_key']);
  const analytics = new Analytics({ writeKey: daemon.key, host: daemon.url, flushInterval: 100, maxRetries: 0 });
  const errors: unknown[] = [];
  analytics.on('error', (error) => errors.push(error));
  analytics.page({ anonymousId: DEVICE, name: 'Home', properties: { path: '/' } });
  analytics.identify({ userId: 'u1', anonymousId: DEVICE, traits: { email: 'Ann@example.com', plan: 'pro' } });
  analytics.track({ userId: 'u1', event: 'Signed Up', properties: { seats: 5 }, context: { ip: '203.0.113.7' } });
  analytics.track({
    userId: 'u1',
    event: 'Order Completed',
    properties: { order_id: 'o1', total: 19.9, currency: 'EUR', products: [{ product_id: 'lamp', price: 19.9 }] },
  });
  analytics.screen({ userId: 'u1', name: 'Cart' });
  analytics.group({ userId: 'u1', groupId: 'g1', traits: { name: 'Initech' } });
  analytics.alias({ userId: 'u1', previousId: DEVICE });
  // comes twice, as after an answer that was lost
  for (const _ of [1, 2]) analytics.track({ userId: 'u1', event: 'Once', messageId: 'm1' });
  await analytics.closeAndFlush({ timeout: 20_000 });

  expect(errors).toEqual([]);
  const kept = await daemon.batches();
  const eventsOf = ({ batch }: (typeof kept)[number]) =>
    batch.events as readonly { event_type: string; data: object }[];
  expect(kept.flatMap((one) => eventsOf(one) ?? []).map(({ event_type }) => event_type)).toEqual([
    ...['screen_view', 'custom_event', 'commerce_event', 'screen_view', 'custom_event', 'custom_event'],
  ]);
  expect(kept.flatMap((one) => eventsOf(one) ?? [])[2]?.data).toMatchObject({
    currency_code: 'EUR',
    product_action: {
      action: 'purchase',
      transaction_id: 'o1',
      total_amount: 19.9,
      products: [{ id: 'lamp', price: 19.9 }],
    },
  });
  expect(kept[2]?.batch).toMatchObject({
    ip: '203.0.113.7',
    sdk_version: expect.stringMatching(/^@segment\/analytics-node 3/),
  });
  expect(new Set(kept.map(({ mpid }) => mpid)).size).toBe(1);
  expect(await daemon.profiles()).toEqual([{ plan: 'pro' }]);
}, 900_000);
