import { describe, expect, it } from 'vitest';
import { checkBatch, EVENT_TYPES, type EventType } from '../../../src/events/index.ts';
import { complaint, event, type Fields, LEAST, LIMITS, paths } from '../../support/batches/batches.ts';

describe('an event', () => {
  it('is of one of 17 kinds', () => {
    expect([...EVENT_TYPES].sort()).toEqual(Object.keys(LEAST).sort());
    expect(EVENT_TYPES).toHaveLength(17);
  });

  it.each(Object.entries(LEAST))('of kind %s needs what its kind requires, and its data', (kind, least) => {
    expect(checkBatch(event(kind, least), LIMITS)).toEqual([]);
    for (const name of Object.keys(least)) {
      const { [name]: _, ...rest } = least;
      expect(complaint(event(kind, rest))).toMatch(new RegExp(`^events\\[0\\]\\.data\\.${name}: is required`));
    }
    expect(complaint({ events: [{ event_type: kind }] })).toBe('events[0].data: is required');
    expect(complaint(event(kind, null))).toBe('events[0].data: must be an object, is null');
  });

  it.each(Object.entries(LEAST))('of kind %s takes unknown keys in its data', (kind, least) => {
    expect(checkBatch(event(kind, { ...least, colour: { shade: [1, null, { a: 'b' }] } }), LIMITS)).toEqual([]);
  });

  it('has a closed wrapper for five kinds alone', () => {
    const isClosed = (kind: EventType) => paths(event(kind, LEAST[kind], { colour: 1 })).length > 0;
    expect(EVENT_TYPES.filter(isClosed)).toEqual([
      'custom_event',
      'application_state_transition',
      'breadcrumb',
      'commerce_event',
      'first_run',
    ]);
    expect(complaint(event('first_run', {}, { colour: 1 }))).toBe(
      'events[0].colour: is not a field of this object; known are event_type, data',
    );
  });

  it('names the kinds when its own is unknown, and says no more', () => {
    const unknown = { events: [{}, { event_type: 'purchase', data: 1 }, { event_type: 1 }, null, 'x'] };
    expect(paths(unknown)).toEqual([
      'events[0].event_type',
      'events[1].event_type',
      'events[2].event_type',
      'events[3]',
      'events[4]',
    ]);
    expect(complaint(event('purchase'))).toBe(
      `events[0].event_type: must be one of ${EVENT_TYPES.join(', ')}, is "purchase"`,
    );
    expect(paths(event('constructor'))).toEqual(['events[0].event_type']);
  });

  it('of kind screen_view takes either name', () => {
    expect(checkBatch(event('screen_view', { event_name: 'x' }), LIMITS)).toEqual([]);
    expect(checkBatch(event('screen_view', { event_name: 'x', screen_name: 'y' }), LIMITS)).toEqual([]);
    expect(complaint(event('screen_view'))).toBe(
      'events[0].data.screen_name: is required where event_name is not given',
    );
  });

  it('of kind user_identity_change needs both sides, not null', () => {
    const side = { identity_type: 'email', identity: 'a', timestamp_unixtime_ms: 1, created_this_batch: true };
    expect(checkBatch(event('user_identity_change', { new: side, old: side }), LIMITS)).toEqual([]);
    expect(paths(event('user_identity_change', { new: null, old: side }))).toEqual(['events[0].data.new']);
    expect(paths(event('user_identity_change', { new: side, old: { identity_type: 'mail' } }))).toEqual([
      'events[0].data.old.identity_type',
    ]);
  });

  it('of kind user_attribute_change takes lists', () => {
    const data = { user_attribute_name: 'a', new: ['x', 1], old: null, deleted: false, is_new_attribute: null };
    expect(checkBatch(event('user_attribute_change', data), LIMITS)).toEqual([]);
    expect(paths(event('user_attribute_change', { user_attribute_name: 'a', new: {} }))).toEqual([
      'events[0].data.new',
    ]);
  });

  it.each(['remove_from_wishlist', 'remove_from_wish_list'])('of kind commerce_event knows %s', (name) => {
    const data = { product_action: { action: name }, custom_event_type: name };
    expect(checkBatch(event('commerce_event', data), LIMITS)).toEqual([]);
  });

  it('takes the custom_event_type of its own kind', () => {
    const ofCommerce =
      'navigation location search transaction user_content user_preference social other media add_to_cart remove_from_cart checkout checkout_option click view_detail purchase refund promotion_view promotion_click add_to_wishlist remove_from_wishlist impression attribution consent_granted consent_denied';
    const ofCustom = ofCommerce.split(' ').slice(0, 9);
    for (const type of ofCommerce.split(' ')) {
      expect(paths(event('commerce_event', { custom_event_type: type }))).toEqual([]);
      const isCustom = paths(event('custom_event', { event_name: 'x', custom_event_type: type })).length === 0;
      expect(isCustom, type).toBe(ofCustom.includes(type));
    }
  });

  it('of kind crash_report holds breadcrumb events', () => {
    const crash = (breadcrumbs: unknown) => event('crash_report', { ...LEAST.crash_report, breadcrumbs });
    const crumb = { event_type: 'breadcrumb', data: { label: 'x', session_number: 1 } };
    expect(checkBatch(crash([crumb, crumb]), LIMITS)).toEqual([]);
    expect(checkBatch(crash(null), LIMITS)).toEqual([]);
    expect(complaint(crash([crumb, { ...crumb, event_type: 'first_run' }]))).toBe(
      'events[0].data.breadcrumbs[1].event_type: must be breadcrumb, is "first_run"',
    );
    expect(paths(crash([{ ...crumb, data: {} }]))).toEqual(['events[0].data.breadcrumbs[0].data.label']);
  });

  it('has text alone where the specification says string', () => {
    const products = (product: Fields) =>
      event('commerce_event', { product_action: { action: 'click', products: [product] } });
    for (const name of ['id', 'name']) {
      expect(paths(products({ [name]: 7 }))).toEqual([`events[0].data.product_action.products[0].${name}`]);
    }
    expect(paths(products({ custom_attributes: { a: 1 } }))).toEqual([
      'events[0].data.product_action.products[0].custom_attributes.a',
    ]);
    expect(paths(products({ brand: 7, price: 1.5, position: 1 }))).toEqual([]);
  });
});
