import { expect, test } from 'vitest';
import { translateWebBatch } from '../../../src/events/accept/translate-web-batch.ts';
import { checkBatch } from '../../../src/events/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';
import { LIMITS } from '../../support/batches/batches.ts';

const say = (text: string) => translateWebBatch({ body: parseJson(text), text });
const data = (kind: string, text: string) => `{"events":[{"event_type":"${kind}","data":${text}}]}`;

test.each([
  [
    'an event without a type',
    data('custom_event', '{"event_name":"x","custom_event_type":"unknown"}'),
    data('custom_event', '{"event_name":"x","custom_event_type":"other"}'),
  ],
  [
    'an error without a severity',
    data('crash_report', '{"message":"x"}'),
    data('crash_report', '{"severity":null,"message":"x"}'),
  ],
  [
    'numbers that name a product',
    data(
      'commerce_event',
      '{"shopping_cart":{"products":[{"id":18014398509481985,"name":1.50,"custom_attributes":{"a":true,"b":null}}]}}',
    ),
    data(
      'commerce_event',
      '{"shopping_cart":{"products":[{"id":"18014398509481985","name":"1.5","custom_attributes":{"a":"true"}}]}}',
    ),
  ],
  [
    'products of an impression',
    data('commerce_event', '{"product_impressions":[{"product_impression_list":"x","products":[{"id":7}]}]}'),
    data('commerce_event', '{"product_impressions":[{"product_impression_list":"x","products":[{"id":"7"}]}]}'),
  ],
  [
    'a promotion',
    data('commerce_event', '{"promotion_action":{"action":"view","promotions":[{"id":7}]}}'),
    data('commerce_event', '{"promotion_action":{"action":"view","promotions":[{"id":"7"}]}}'),
  ],
  [
    'a promotion that is viewed, by its number',
    data('commerce_event', '{"promotion_action":{"action":1,"promotions":[{"id":"x"}]}}'),
    data('commerce_event', '{"promotion_action":{"action":"view","promotions":[{"id":"x"}]}}'),
  ],
  [
    'a promotion that is clicked, by its number',
    data('commerce_event', '{"promotion_action":{"action":2}}'),
    data('commerce_event', '{"promotion_action":{"action":"click"}}'),
  ],
  ['a count of kits', '{"application_info":{"sideloaded_kits_count":1}}', '{"application_info":{}}'],
])('%s is said in words of the contract', (_what, said, meant) => {
  expect(checkBatch(parseJson(said), LIMITS, said)).not.toEqual([]);
  expect(say(said)).toEqual({ body: parseJson(meant), text: meant });
  expect(checkBatch(parseJson(meant), LIMITS, meant)).toEqual([]);
});

test.each([
  data('custom_event', '{"event_name":"unknown","custom_event_type":"other"}'),
  data('crash_report', '{"severity":"unknown","message":"x"}'),
  data('commerce_event', '{"product_action":{"action":"unknown"}}'),
  data(
    'commerce_event',
    '{"product_action":7,"shopping_cart":null,"product_impressions":[7],"promotion_action":{"promotions":7}}',
  ),
  data('commerce_event', '{"promotion_action":{"action":3}}'),
  '{"events":"unknown"}',
  '{"events":["unknown",{"event_type":"crash_report"}]}',
  '["unknown"]',
  '"unknown"',
  '{"api_key":"unknown","user_attributes":{"a":1.50}}',
])('%s stays as it is', (text) => {
  const sent = { body: parseJson(text), text };
  expect(translateWebBatch(sent)).toBe(sent);
});
