import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../../src/events/index.ts';
import { complaint, event, LEAST, LIMITS, paths } from '../../support/batches/batches.ts';

describe('a batch', () => {
  it('may be empty, and must be an object', () => {
    expect(checkBatch({}, LIMITS)).toEqual([]);
    expect(complaint(null)).toBe(': must be an object, is null');
    expect(complaint([])).toBe(': must be an object, is a list');
    expect(complaint(undefined)).toBe(': must be an object, is nothing');
  });

  it.each([
    ['the batch', { colour: 1 }, 'colour'],
    ['user_identities', { user_identities: { mail: 'a' } }, 'user_identities.mail'],
    ['device_info', { device_info: { colour: 1 } }, 'device_info.colour'],
    ['application_info', { application_info: { colour: 1 } }, 'application_info.colour'],
    ['consent_state', { consent_state: { lgpd: {} } }, 'consent_state.lgpd'],
    [
      'a consent purpose',
      { consent_state: { gdpr: { mail: { consented: true, timestamp_unixtime_ms: 1, colour: 1 } } } },
      'consent_state.gdpr.mail.colour',
    ],
    ['a location', { context: { location: { latitude: 1, longitude: 1, colour: 1 } } }, 'context.location.colour'],
    [
      'attribution_info',
      { attribution_info: { service_provider: 'a', publisher: 'b', campaign: 'c', colour: 1 } },
      'attribution_info.colour',
    ],
    [
      'device_current_state',
      event('first_run', { device_current_state: { colour: 1 } }),
      'events[0].data.device_current_state.colour',
    ],
    [
      'product_action',
      event('commerce_event', { product_action: { action: 'click', colour: 1 } }),
      'events[0].data.product_action.colour',
    ],
    [
      'promotion_action',
      event('commerce_event', { promotion_action: { action: 'view', colour: 1 } }),
      'events[0].data.promotion_action.colour',
    ],
    [
      'a promotion',
      event('commerce_event', { promotion_action: { action: 'view', promotions: [{ colour: 1 }] } }),
      'events[0].data.promotion_action.promotions[0].colour',
    ],
    [
      'a product impression',
      event('commerce_event', {
        product_impressions: [{ product_impression_list: 'a', products: null, colour: 1 }],
      }),
      'events[0].data.product_impressions[0].colour',
    ],
    [
      'a shopping cart',
      event('commerce_event', { shopping_cart: { products: [], colour: 1 } }),
      'events[0].data.shopping_cart.colour',
    ],
  ])('refuses an unknown field of %s', (_what, body, path) => {
    expect(complaint(body)).toContain(`${path}: is not a field of this object; known are `);
  });

  it.each([
    ['context', { context: { colour: 1 } }],
    ['a data plan', { context: { data_plan: { plan_id: 'p', colour: 1 } } }],
    ['source_info', { source_info: { channel: 'native', colour: 1 } }],
    ['a side of user_identity_change', event('user_identity_change', { new: { colour: 1 }, old: {} })],
    [
      'event_system_notification_info',
      event('first_run', { event_system_notification_info: { type: 'gdpr_change', colour: 1 } }),
    ],
    ['a product', event('commerce_event', { shopping_cart: { products: [{ colour: { a: 1 } }] } })],
  ])('takes an unknown field of %s, which the specification does not call closed', (_what, body) => {
    expect(checkBatch(body, LIMITS)).toEqual([]);
  });

  it.each([
    [
      { attribution_info: {} },
      ['attribution_info.service_provider', 'attribution_info.publisher', 'attribution_info.campaign'],
    ],
    [
      { consent_state: { ccpa: { sale: {} } } },
      ['consent_state.ccpa.sale.consented', 'consent_state.ccpa.sale.timestamp_unixtime_ms'],
    ],
    [{ context: { location: {} } }, ['context.location.latitude', 'context.location.longitude']],
    [{ context: { data_plan: {} } }, ['context.data_plan.plan_id']],
    [{ source_info: {} }, ['source_info.channel']],
    [
      event('first_run', { event_system_notification_info: {} }),
      ['events[0].data.event_system_notification_info.type'],
    ],
    [event('commerce_event', { product_action: {} }), ['events[0].data.product_action.action']],
    [event('commerce_event', { promotion_action: {} }), ['events[0].data.promotion_action.action']],
    [
      event('commerce_event', { product_impressions: [{}] }),
      [
        'events[0].data.product_impressions[0].product_impression_list',
        'events[0].data.product_impressions[0].products',
      ],
    ],
    [event('commerce_event', { shopping_cart: {} }), ['events[0].data.shopping_cart.products']],
  ])('asks for what an object in it requires (%#)', (body, missing) => {
    expect(paths(body)).toEqual(missing);
    for (const { message } of checkBatch(body, LIMITS)) expect(message).toContain('is required');
  });

  it.each([
    'events',
    'device_info',
    'application_info',
    'user_attributes',
    'deleted_user_attributes',
    'user_identities',
    'api_keys',
    'integration_attributes',
    'context',
    'partner_identities',
    'source_info',
    'attribution_info',
    'consent_state',
  ])('takes null for %s', (name) => {
    expect(checkBatch({ [name]: null }, LIMITS)).toEqual([]);
    expect(paths({ [name]: 'text' })).toEqual([name]);
  });

  it('takes null for objects further down', () => {
    const body = {
      context: { data_plan: null, location: null },
      consent_state: { gdpr: null, ccpa: null },
      application_info: { apple_search_ads_attributes: null },
      integration_attributes: { 12: null },
    };
    expect(checkBatch(body, LIMITS)).toEqual([]);
    expect(checkBatch({ consent_state: { gdpr: { mail: null }, ccpa: { sale: null } } }, LIMITS)).toEqual([]);
    const data = {
      custom_attributes: null,
      location: null,
      device_current_state: null,
      event_system_notification_info: null,
      product_action: null,
      promotion_action: null,
      product_impressions: null,
      shopping_cart: null,
      custom_flags: null,
    };
    expect(checkBatch(event('commerce_event', data), LIMITS)).toEqual([]);
    const inner = {
      product_action: { action: 'click', products: null },
      promotion_action: { action: 'view', promotions: null },
    };
    expect(checkBatch(event('commerce_event', inner), LIMITS)).toEqual([]);
  });

  it('takes a schema_version of any kind', () => {
    for (const version of [2, '2', null, { a: [1] }]) expect(paths({ schema_version: version })).toEqual([]);
    expect(paths({ schema_versions: 2 })).toEqual(['schema_versions']);
  });

  it('knows two environments, and no null', () => {
    expect(checkBatch({ environment: 'development' }, LIMITS)).toEqual([]);
    expect(complaint({ environment: 'test' })).toBe('environment: must be one of development, production, is "test"');
    expect(complaint({ environment: null })).toBe('environment: must be one of development, production, is null');
  });

  it('knows the channels of a source and the platforms of a device', () => {
    expect(complaint({ source_info: { channel: 'mail' } })).toBe(
      'source_info.channel: must be one of native, javascript, pixel, desktop, partner, server_to_server, is "mail"',
    );
    expect(complaint({ device_info: { platform: 'ios' } })).toContain('must be one of iOS, Android, web, tvOS');
  });

  it('takes values by their names where the specification lists them and real clients send others', () => {
    const data = { device_current_state: { device_orientation: 'upright', status_bar_orientation: 7 } };
    expect(checkBatch({ application_info: { os: 'Linux' }, ...event('first_run', data) }, LIMITS)).toEqual([]);
    const push = { ...LEAST.push_message, application_state: 'asleep', push_message_behavior: 'Read' };
    expect(checkBatch(event('push_message', push), LIMITS)).toEqual([]);
  });
});
