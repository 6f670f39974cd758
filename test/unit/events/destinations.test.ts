import { describe, expect, it } from 'vitest';
import {
  type Destination,
  EVENT_TYPES,
  findDestination,
  missingFields,
  requiredFields,
} from '../../../src/events/index.ts';

function destination(path: string, eventType?: string): Destination {
  const found = findDestination(path, eventType);
  if ('problem' in found) throw new Error(`${path} ${found.problem}`);
  return found;
}

function problem(path: string, eventType?: string): string {
  const found = findDestination(path, eventType);
  if ('problem' in found) return found.problem;
  throw new Error(`${path} is a destination`);
}

describe('findDestination', () => {
  it.each([
    ['mpid', { kind: 'Integer', nullable: true, list: 'never', digits: true }],
    ['environment', { kind: 'string', nullable: false, list: 'never', allowed: ['development', 'production'] }],
    ['ip', { kind: 'Ip', nullable: true, list: 'never' }],
    ['mp_deviceid', { kind: 'Uuid', nullable: true, list: 'never', identity: 'mp_deviceid' }],
    ['user_identities.email', { kind: 'String', nullable: true, list: 'never', identity: 'email' }],
    ['user_identities.customerid', { kind: 'String', nullable: true, list: 'never', identity: 'customer_id' }],
    ['device_info.push_token', { kind: 'String', nullable: true, list: 'never', identity: 'push_token' }],
    ['user_attributes.colour', { kind: 'String', nullable: true, list: 'either', length: 'value' }],
    ['deleted_user_attributes', { kind: 'string', nullable: false, list: 'always', length: 'name' }],
    ['api_keys', { kind: 'string', nullable: false, list: 'always' }],
    ['consent_state.gdpr.mail.consented', { kind: 'Boolean', nullable: true, list: 'never' }],
    ['integration_attributes.12.colour', { kind: 'String', nullable: true, list: 'never' }],
    ['attribution_info.campaign', { kind: 'String', nullable: true, list: 'never' }],
    ['context.data_plan.plan_version', { kind: 'Integer', nullable: true, list: 'never' }],
  ])('finds %s on the batch', (path, leaf) => {
    expect(destination(path)).toMatchObject({
      leaf,
      path: path.split('.'),
      lists: [],
      named: path.startsWith('user_attributes'),
    });
  });

  it('knows the place and the lists on the way', () => {
    expect(destination('events.data.product_action.products.price', 'commerce_event')).toEqual({
      path: ['events', 'data', 'product_action', 'products', 'price'],
      leaf: { kind: 'Number', nullable: true, list: 'never' },
      lists: [0, 3],
      named: false,
    });
    expect(destination('events.event_type')).toMatchObject({
      lists: [0],
      leaf: { allowed: EVENT_TYPES },
    });
  });

  it('takes everything behind the last map as one key, dots included', () => {
    expect(destination('events.data.custom_attributes.size.eu', 'custom_event')).toMatchObject({
      path: ['events', 'data', 'custom_attributes', 'size.eu'],
      named: true,
    });
    expect(destination('integration_attributes.12.a.b').path).toEqual(['integration_attributes', '12', 'a.b']);
    expect(destination('user_attributes.constructor').path).toEqual(['user_attributes', 'constructor']);
  });

  it('holds a field to the kinds of events that have it', () => {
    expect(destination('events.data.url', 'network_performance').leaf.kind).toBe('string');
    expect(problem('events.data.url', 'custom_event')).toMatch(
      /^is not a field of events\.data of custom_event; known are .*\bevent_name\b/,
    );
    expect(destination('events.data.url').leaf.kind).toBe('string');
    expect(problem('events.data.uri')).toBe('is not a field of any event');
    expect(problem('events.data')).toBe('is not a single value; name a field of events.data');
    expect(problem('events')).toBe('is not a single value; name a field of events.data');
    expect(problem('events.data', 'opt_out')).toMatch(
      /^is not a single value; name one of its fields: .*is_opted_out$/,
    );
    expect(problem('events.colour', 'opt_out')).toBe('is not a field of events; known are event_type, data');
    expect(problem('user_identities.mail', 'opt_out')).toMatch(/^is not a field of user_identities; known are other/);
  });

  it('gives the widest leaf while the event type is open', () => {
    const { allowed = [] } = destination('events.data.custom_event_type').leaf;
    expect(allowed).toEqual(expect.arrayContaining(['navigation', 'purchase']));
    expect(destination('events.data.custom_event_type', 'custom_event').leaf.allowed).not.toContain('purchase');
  });

  it('has one type for a field whichever kind of event has it', () => {
    const listed = EVENT_TYPES.map((kind) => problem('events.data.none', kind)).join(', ');
    for (const name of new Set(listed.match(/\b\w+\b/g))) {
      const found = EVENT_TYPES.map((kind) => findDestination(`events.data.${name}`, kind)).filter(
        (one) => 'leaf' in one,
      );
      const types = found.map(({ leaf: { allowed, ...type } }) => JSON.stringify([type, allowed !== undefined]));
      expect(new Set(types).size, name).toBeLessThan(2);
    }
  });

  it.each([
    ['', 'has an empty part'],
    ['events..data', 'has an empty part'],
    ['user_identities', 'is not a single value; name one of its fields: other, customer_id'],
    ['user_attributes', 'is not a single value; name a key in it'],
    ['mpid.x', 'does not exist: mpid is a single value'],
    ['schema_version', 'is not stored: schema_version is ignored'],
    ['colour', 'is not a field of an event batch; known are source_request_id'],
    ['constructor', 'is not a field of an event batch'],
    ['device_info.colour', 'is not a field of device_info; known are brand'],
    ['consent_state.gdpr.mail', 'is not a single value; name one of its fields: regulation'],
  ])('has no destination for %j', (path, words) => {
    expect(problem(path)).toContain(words);
  });

  it('names the event types there are', () => {
    expect(problem('events.data.url', 'purchase')).toContain(
      `needs a known event_type; "purchase" is not one of ${EVENT_TYPES.join(', ')}`,
    );
    expect(problem('events.data.url', 'constructor')).toContain('not one of');
  });
});

describe('requiredFields', () => {
  it('says what an object needs once it is there', () => {
    expect(requiredFields('', undefined)).toEqual([]);
    expect(requiredFields('attribution_info', undefined)).toEqual([['service_provider'], ['publisher'], ['campaign']]);
    expect(requiredFields('consent_state.gdpr.mail', undefined)).toEqual([['consented'], ['timestamp_unixtime_ms']]);
    expect(requiredFields('events', 'first_run')).toEqual([['event_type'], ['data']]);
    expect(requiredFields('events.data', 'custom_event')).toEqual([['custom_event_type'], ['event_name']]);
    expect(requiredFields('events.data', 'screen_view')).toEqual([['screen_name', 'event_name']]);
    expect(requiredFields('events.data.product_impressions', 'commerce_event')).toEqual([
      ['product_impression_list'],
      ['products'],
    ]);
  });

  it('asks nothing of what is no object, or nowhere', () => {
    for (const path of ['mpid', 'mpid.x', 'user_attributes', 'user_attributes.x', 'colour.x', 'schema_version.x']) {
      expect(requiredFields(path, undefined), path).toEqual([]);
    }
    expect(requiredFields('events.data.product_action', 'first_run')).toEqual([]);
    expect(requiredFields('events.data', undefined)).toEqual([]);
  });
});

describe('missingFields', () => {
  it('asks for event_type and what the kind requires', () => {
    expect(missingFields('custom_event', ['mpid'])).toEqual([
      'events.event_type',
      'events.data.custom_event_type',
      'events.data.event_name',
    ]);
    expect(missingFields('session_start', ['events.event_type'])).toEqual([]);
    expect(missingFields('commerce_event', ['events.event_type'])).toEqual([]);
  });

  it('asks for one of two names of a screen view', () => {
    expect(missingFields('screen_view', ['events.event_type'])).toEqual([
      'events.data.screen_name or events.data.event_name',
    ]);
    expect(missingFields('screen_view', ['events.event_type', 'events.data.event_name'])).toEqual([]);
  });

  it('asks for what a touched object requires, and only then', () => {
    const paths = ['events.event_type', 'events.data.product_action.products.price'];
    expect(missingFields('commerce_event', paths)).toEqual(['events.data.product_action.action']);
    expect(missingFields('commerce_event', [...paths, 'events.data.product_action.action'])).toEqual([]);
    expect(missingFields('first_run', ['events.event_type', 'consent_state.gdpr.mail.document'])).toEqual([
      'consent_state.gdpr.mail.consented',
      'consent_state.gdpr.mail.timestamp_unixtime_ms',
    ]);
    expect(missingFields('first_run', ['events.event_type', 'context.data_plan.plan_version'])).toEqual([
      'context.data_plan.plan_id',
    ]);
    expect(missingFields('first_run', ['events.event_type', 'attribution_info.campaign'])).toEqual([
      'attribution_info.service_provider',
      'attribution_info.publisher',
    ]);
  });

  it('takes an object as there when anything in it is', () => {
    expect(missingFields('user_identity_change', ['events.event_type', 'events.data.new.identity'])).toEqual([
      'events.data.old',
    ]);
  });

  it('leaves the own fields of a kind out while the event type is open', () => {
    expect(missingFields(undefined, ['events.data.event_name'])).toEqual(['events.event_type']);
    expect(missingFields(undefined, ['events.event_type', 'events.data.location.latitude'])).toEqual([
      'events.data.location.longitude',
    ]);
    expect(missingFields(undefined, ['events.event_type', 'events.data.product_action.coupon_code'])).toEqual([
      'events.data.product_action.action',
    ]);
  });
});
