// The commerce events that track calls become (docs/spec/events.md#commerce-objects).
import { describe, expect, it, test } from 'vitest';
import type { CallFields } from '../../../src/events/analytics/call-contract.ts';
import { mapCall } from '../../../src/events/analytics/map-call.ts';
import { TRACK_NAMES } from '../../../src/events/analytics/track-names.ts';
import { checkBatch, type EventBatch } from '../../../src/events/index.ts';
import { parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import { LIMITS } from '../../support/batches/batches.ts';

const RECEIVED = Date.parse('2026-03-01T12:00:00.000Z');

function mapped(fields: CallFields) {
  const batch = mapCall({ type: 'track', fields }, { arrival: { receivedMs: RECEIVED }, limits: LIMITS });
  expect(checkBatch(batch, LIMITS)).toEqual([]);
  return batch as EventBatch;
}
const track = (event: string, properties: CallFields = {}) => mapped({ event, properties }).events?.[0]?.data;

describe('a track call of the e-commerce specification', () => {
  const PRODUCT = { product_id: 'p1', sku: 's1', name: 'Lamp', price: '19.90', quantity: 2, coupon: 'C', color: 'red' };

  test.each(TRACK_NAMES)('$name becomes what the table says', (name) => {
    const batch = mapped({ event: name.name, properties: { ...PRODUCT, products: [PRODUCT], order_id: 'o' } });
    const [event] = batch.events ?? [];
    expect(event?.event_type).toBe(name.eventType);
    expect(event?.data).toMatchObject({ event_name: name.name });
    if (name.part !== undefined) expect(event?.data).toHaveProperty(name.part);
    if (name.part !== undefined && name.action !== undefined) {
      expect(event?.data).toHaveProperty([name.part, 'action'], name.action);
    }
  });

  it('Order Completed is a purchase with its products, and loses nothing', () => {
    const properties = {
      order_id: 'o1',
      total: 49.8,
      revenue: 40,
      tax: '8.30',
      currency: 'EUR',
      products: [PRODUCT],
      a: [1],
    };
    expect(track('Order Completed', properties)).toEqual({
      timestamp_unixtime_ms: RECEIVED,
      event_name: 'Order Completed',
      custom_event_type: 'purchase',
      currency_code: 'EUR',
      product_action: {
        action: 'purchase',
        transaction_id: 'o1',
        total_amount: 49.8,
        tax_amount: 8.3,
        products: [
          {
            id: 'p1',
            name: 'Lamp',
            price: 19.9,
            quantity: 2,
            coupon_code: 'C',
            custom_attributes: { sku: 's1', color: 'red' },
          },
        ],
      },
      custom_attributes: { revenue: 40, a: '[1]' },
    });
  });

  test.each(['order completed', 'ORDER_COMPLETED', 'orderCompleted', 'Completed Order'])('%s is one too', (event) => {
    expect(track(event)).toMatchObject({ product_action: { action: 'purchase' } });
  });

  it('Product Added holds the one product that its properties describe', () => {
    expect(track('Product Added', { ...PRODUCT, cart_id: 'c' })).toMatchObject({
      product_action: { action: 'add_to_cart', products: [{ id: 'p1', price: 19.9, coupon_code: 'C' }] },
      custom_attributes: { cart_id: 'c', sku: 's1', color: 'red' },
    });
  });

  it('Product List Viewed shows its products', () => {
    expect(track('Product List Viewed', { list_id: 'summer', products: [PRODUCT] })).toMatchObject({
      product_impressions: [{ product_impression_list: 'summer', products: [{ id: 'p1' }] }],
    });
    expect(track('Product List Viewed')).toMatchObject({
      product_impressions: [{ product_impression_list: 'Product List Viewed', products: [] }],
    });
  });

  it('Promotion Clicked names the promotion', () => {
    expect(
      track('Promotion Clicked', { promotion_id: 'x', creative: 'top', position: 'home', size: 'l' }),
    ).toMatchObject({
      promotion_action: { action: 'click', promotions: [{ id: 'x', creative: 'top', position: 'home' }] },
      custom_attributes: { size: 'l' },
    });
  });

  it('Cart Viewed holds the cart', () => {
    expect(track('Cart Viewed', { cart_id: 'c', products: [PRODUCT] })).toMatchObject({
      shopping_cart: { products: [{ id: 'p1' }] },
      custom_attributes: { cart_id: 'c' },
    });
  });

  it('keeps a value that its place cannot take among the attributes', () => {
    expect(track('Checkout Step Viewed', { step: 'two', total: '$5', products: ['p1'] })).toEqual({
      timestamp_unixtime_ms: RECEIVED,
      event_name: 'Checkout Step Viewed',
      custom_event_type: 'checkout',
      product_action: { action: 'checkout' },
      custom_attributes: { step: 'two', total: '$5', products: '["p1"]' },
    });
  });

  it('keeps a list of promotions whole where items hold more than has a place', () => {
    expect(track('Promotion Viewed', { promotions: [{ id: 'x', size: 'l' }] })).toMatchObject({
      promotion_action: { promotions: [{ id: 'x' }] },
      custom_attributes: { promotions: '[{"id":"x","size":"l"}]' },
    });
  });

  it('keeps every digit', () => {
    const text =
      '{"event":"Order Completed","properties":{"total":12345678901234567890.12,"products":[{"id":9007199254740993}],"n":9223372036854775807}}';
    const written = stringifyJson(mapped(parseJson(text) as CallFields));
    expect(written).toContain('"total_amount":12345678901234567890.12');
    expect(written).toContain('"id":"9007199254740993"');
    expect(written).toContain('"n":9223372036854775807');
  });
});
