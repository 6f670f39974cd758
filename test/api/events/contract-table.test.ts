// The batch format by hand, sentence by sentence (docs/spec/events.md): nothing here is read from the contract. Each
// row is one batch and its outcome.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EventsApi, openEventsApi } from '../../support/apis/events-api.ts';

let api: EventsApi;
beforeAll(async () => {
  api = await openEventsApi();
  expect(await api.put('/settings', { limits: { batches_per_second: 100_000 } })).toBe(200);
});
afterAll(() => api[Symbol.asyncDispose]());

const KEPT = '';
/** A batch of these events, and where it is refused; `KEPT` where it is not. */
type Row = readonly [what: string, batch: object, refusedAt: string];

const event = (event_type: string, data?: unknown) => ({
  events: [{ event_type, ...(data === undefined ? {} : { data }) }],
});
const custom = (more: object) => event('custom_event', { custom_event_type: 'other', event_name: 'x', ...more });
const commerce = (data: object) => event('commerce_event', data);
const DATA = 'events[0].data';
const PURPOSE = { consented: true, timestamp_unixtime_ms: 1 };
const SPOT = { latitude: 1, longitude: 2 };

const BATCH: readonly Row[] = [
  ['nothing at all', {}, KEPT],
  ['no events', { events: [] }, KEPT],
  ['null events', { events: null }, KEPT],
  ['an unknown field', { colour: 'red' }, 'colour'],
  ['production', { environment: 'production' }, KEPT],
  ['development', { environment: 'development' }, KEPT],
  ['another environment', { environment: 'staging' }, 'environment'],
  ['an environment in capitals', { environment: 'Production' }, 'environment'],
  ['no environment but null', { environment: null }, 'environment'],
  ['an IPv4 address', { ip: '203.0.113.7' }, KEPT],
  ['an IPv6 address', { ip: '2001:db8::1' }, KEPT],
  ['an address with a port', { ip: '203.0.113.7:80' }, 'ip'],
  ['a network', { ip: '203.0.113.0/24' }, 'ip'],
  ['a String that is a number', { api_key: 1.5 }, KEPT],
  ['a String that is true', { sdk_version: true }, KEPT],
  ['a String that is an object', { job_id: {} }, 'job_id'],
  ['keys that are text', { api_keys: ['a', 'b'] }, KEPT],
  ['keys that are numbers', { api_keys: [1] }, 'api_keys[0]'],
  ['lists as attributes', { user_attributes: { a: ['x', 1, null, true] } }, KEPT],
  ['objects as attributes', { user_attributes: { a: { b: 1 } } }, 'user_attributes.a'],
  ['lists in lists', { user_attributes: { a: ['x', ['y']] } }, 'user_attributes.a[1]'],
  ['attributes to delete', { deleted_user_attributes: ['a'] }, KEPT],
  ['attributes to delete that are numbers', { deleted_user_attributes: [1] }, 'deleted_user_attributes[0]'],
  ['an identity that the specification does not know', { user_identities: { mail: 'x' } }, 'user_identities.mail'],
  ['other_id_2', { user_identities: { other_id_2: 'x' } }, KEPT],
  ['other_id_11', { user_identities: { other_id_11: 'x' } }, 'user_identities.other_id_11'],
  ['customerid for customer_id', { user_identities: { customerid: 'x' } }, KEPT],
  ['an identity that is a number', { user_identities: { customer_id: 7 } }, KEPT],
  ['an empty identity', { user_identities: { email: '' } }, 'user_identities.email'],
  ['a UUID in capitals', { mp_deviceid: '01234567-89AB-CDEF-ABCD-0123456789AB' }, KEPT],
  ['a UUID without dashes', { mp_deviceid: '0123456789abcdefabcd0123456789ab' }, 'mp_deviceid'],
  ['a fraction of a millisecond', { timestamp_unixtime_ms: 1.5 }, 'timestamp_unixtime_ms'],
  ['a time as text', { timestamp_unixtime_ms: '1700000000000' }, 'timestamp_unixtime_ms'],
  ['all of an attribution', { attribution_info: { service_provider: 'a', publisher: 'b', campaign: 'c' } }, KEPT],
  [
    'part of an attribution',
    { attribution_info: { service_provider: 'a', publisher: 'b' } },
    'attribution_info.campaign',
  ],
  ['attributes of integrations', { integration_attributes: { 12: { a: 'x' } } }, KEPT],
  ['a flat attribute of an integration', { integration_attributes: { a: 'x' } }, 'integration_attributes.a'],
  ['a plan', { context: { data_plan: { plan_id: 'p' } } }, KEPT],
  ['a plan without an id', { context: { data_plan: { plan_version: 1 } } }, 'context.data_plan.plan_id'],
  [
    'a plan with half a version',
    { context: { data_plan: { plan_id: 'p', plan_version: 1.5 } } },
    'context.data_plan.plan_version',
  ],
  ['a place', { context: { location: SPOT } }, KEPT],
  ['a place without a longitude', { context: { location: { latitude: 1 } } }, 'context.location.longitude'],
  ['a place with something else', { context: { location: { ...SPOT, planet: 'x' } } }, 'context.location.planet'],
  ['consent to a purpose', { consent_state: { gdpr: { ads: PURPOSE }, ccpa: { data_sale_opt_out: PURPOSE } } }, KEPT],
  [
    'consent without a time',
    { consent_state: { gdpr: { ads: { consented: true } } } },
    'consent_state.gdpr.ads.timestamp_unixtime_ms',
  ],
  [
    'consent without a word',
    { consent_state: { ccpa: { ads: { timestamp_unixtime_ms: 1 } } } },
    'consent_state.ccpa.ads.consented',
  ],
  [
    'consent that says more',
    { consent_state: { gdpr: { ads: { ...PURPOSE, by: 'x' } } } },
    'consent_state.gdpr.ads.by',
  ],
  ['another law', { consent_state: { lgpd: { ads: PURPOSE } } }, 'consent_state.lgpd'],
  ['a schema_version', { schema_version: 2 }, KEPT],
  ['a channel', { source_info: { channel: 'native' } }, KEPT],
  ['another channel', { source_info: { channel: 'pigeon' } }, 'source_info.channel'],
];

const DEVICE: readonly Row[] = [
  ['a platform', { device_info: { platform: 'smart_tv' } }, KEPT],
  ['a platform in another case', { device_info: { platform: 'ios' } }, 'device_info.platform'],
  ['a status of consent to tracking', { device_info: { att_authorization_status: 'restricted' } }, KEPT],
  ['another status', { device_info: { att_authorization_status: 'maybe' } }, 'device_info.att_authorization_status'],
  ['an advertising id', { device_info: { roku_advertising_id: '01234567-89ab-cdef-abcd-0123456789ab' } }, KEPT],
  ['an advertising id that is none', { device_info: { ios_advertising_id: 'x' } }, 'device_info.ios_advertising_id'],
  ['a width', { device_info: { screen_width: 7 } }, KEPT],
  ['a width as text', { device_info: { screen_width: '7' } }, 'device_info.screen_width'],
  ['true', { device_info: { is_tablet: true } }, KEPT],
  ['"true"', { device_info: { is_tablet: 'true' } }, 'device_info.is_tablet'],
  ['an unknown field of a device', { device_info: { smell: 'x' } }, 'device_info.smell'],
  ['a system of the specification', { application_info: { os: 'FireTV' } }, KEPT],
  ['a system that clients send', { application_info: { os: 'Unknown' } }, KEPT],
  ['an unknown field of an application', { application_info: { smell: 'x' } }, 'application_info.smell'],
  ['search ads', { application_info: { apple_search_ads_attributes: { v: { a: 'x' } } } }, KEPT],
  [
    'flat search ads',
    { application_info: { apple_search_ads_attributes: { v: 'x' } } },
    'application_info.apple_search_ads_attributes.v',
  ],
];

const EVENTS: readonly Row[] = [
  ['an event without a type', { events: [{ data: {} }] }, 'events[0].event_type'],
  ['an event of no kind', event('jump', {}), 'events[0].event_type'],
  ['an event without data', event('first_run'), 'events[0].data'],
  ['an event with null data', event('first_run', null), 'events[0].data'],
  ['a closed event with more', { events: [{ event_type: 'first_run', data: {}, more: 1 }] }, 'events[0].more'],
  ['an open event with more', { events: [{ event_type: 'opt_out', data: { is_opted_out: true }, more: 1 }] }, KEPT],
  ['data that say more', event('first_run', { mood: { good: true } }), KEPT],
  [
    'a second event that is wrong',
    { events: [...event('first_run', {}).events, ...event('opt_out', {}).events] },
    'events[1].data.is_opted_out',
  ],
  ['a custom event', custom({}), KEPT],
  ['a custom event without a name', event('custom_event', { custom_event_type: 'other' }), `${DATA}.event_name`],
  ['a custom event without a type', event('custom_event', { event_name: 'x' }), `${DATA}.custom_event_type`],
  ['a custom event of commerce', custom({ custom_event_type: 'purchase' }), `${DATA}.custom_event_type`],
  ['flags', custom({ custom_flags: { a: 'x', b: 1 } }), KEPT],
  ['flags that are lists', custom({ custom_flags: { a: ['x'] } }), `${DATA}.custom_flags.a`],
  ['attributes of an event', custom({ custom_attributes: { a: 'x', b: null } }), KEPT],
  ['lists as attributes of an event', custom({ custom_attributes: { a: ['x'] } }), `${DATA}.custom_attributes.a`],
  ['a session', custom({ session_uuid: '01234567-89ab-cdef-abcd-0123456789ab', session_id: 2 ** 40 }), KEPT],
  ['a null message id', custom({ source_message_id: null }), `${DATA}.source_message_id`],
  ['a notification', custom({ event_system_notification_info: { type: 'gdpr_change' } }), KEPT],
  [
    'another notification',
    custom({ event_system_notification_info: { type: 'x' } }),
    `${DATA}.event_system_notification_info.type`,
  ],
  ['a device lying on its face', custom({ device_current_state: { device_orientation: 'FaceDown' } }), KEPT],
  [
    'a state of which nothing is known',
    custom({ device_current_state: { mood: 1 } }),
    `${DATA}.device_current_state.mood`,
  ],
  ['a screen by event_name', event('screen_view', { event_name: 'Home', custom_attributes: { a: 'x' } }), KEPT],
  ['a screen by screen_name', event('screen_view', { screen_name: 'Home' }), KEPT],
  ['a screen without a name', event('screen_view', {}), `${DATA}.screen_name`],
  [
    'a start of the application',
    event('application_state_transition', { application_transition_type: 'application_initialized' }),
    KEPT,
  ],
  [
    'another transition',
    event('application_state_transition', { application_transition_type: 'x' }),
    `${DATA}.application_transition_type`,
  ],
  ['a breadcrumb', event('breadcrumb', { label: 'x', session_number: 1 }), KEPT],
  ['a breadcrumb without a label', event('breadcrumb', {}), `${DATA}.label`],
  [
    'a crash with breadcrumbs',
    event('crash_report', { severity: 'x', message: 'y', breadcrumbs: event('breadcrumb', { label: 'x' }).events }),
    KEPT,
  ],
  ['a crash without a message', event('crash_report', { severity: 'x' }), `${DATA}.message`],
  [
    'a crash with another event for a breadcrumb',
    event('crash_report', { severity: 'x', message: 'y', breadcrumbs: event('first_run', { label: 'x' }).events }),
    `${DATA}.breadcrumbs[0].event_type`,
  ],
  ['a request', event('network_performance', { url: '/', response_code: 200 }), KEPT],
  ['a request without an answer', event('network_performance', { url: '/' }), `${DATA}.response_code`],
  ['opting out', event('opt_out', { is_opted_out: false }), KEPT],
  ['a profile', event('profile', { previous_mpid: 1, current_mpid: '2', profile_event_type: 'login' }), KEPT],
  [
    'a profile without its MPIDs',
    event('profile', { current_mpid: 1, profile_event_type: 'login' }),
    `${DATA}.previous_mpid`,
  ],
  ['the end of a session', event('session_end', { session_duration_ms: 1 }), KEPT],
  ['the end of a session that took no time', event('session_end', {}), `${DATA}.session_duration_ms`],
  [
    'a message',
    event('push_message', { push_message_token: 'x', push_message_type: 'sent', push_notification_payload: 'y' }),
    KEPT,
  ],
  [
    'a message of another type',
    event('push_message', { push_message_token: 'x', push_message_type: 'x', push_notification_payload: 'y' }),
    `${DATA}.push_message_type`,
  ],
  ['a registration', event('push_registration', { register: true, registration_token: 'x' }), KEPT],
  ['a registration without a token', event('push_registration', { register: true }), `${DATA}.registration_token`],
  [
    'a change of an attribute',
    event('user_attribute_change', { user_attribute_name: 'x', new: ['y'], old: null }),
    KEPT,
  ],
  ['a change of no attribute', event('user_attribute_change', { new: 'y' }), `${DATA}.user_attribute_name`],
  [
    'a change of an identity',
    event('user_identity_change', { new: { identity_type: 'email', identity: 'x' }, old: {} }),
    KEPT,
  ],
  ['a change of an identity from null', event('user_identity_change', { new: {}, old: null }), `${DATA}.old`],
  ['an uninstallation', event('uninstall', {}), KEPT],
  ['the start of a session', event('session_start', {}), KEPT],
];

const action = (more: object) => commerce({ product_action: { action: 'purchase', ...more } });
const COMMERCE: readonly Row[] = [
  ['nothing', commerce({}), KEPT],
  [
    'a purchase',
    action({ transaction_id: 't', total_amount: 1.5, products: [{ id: 'a', price: 1.5, quantity: 1 }] }),
    KEPT,
  ],
  ['a type of its own', commerce({ custom_event_type: 'add_to_cart' }), KEPT],
  ['another type', commerce({ custom_event_type: 'x' }), `${DATA}.custom_event_type`],
  [
    'both spellings of the wish list',
    commerce({ custom_event_type: 'remove_from_wish_list', product_action: { action: 'remove_from_wishlist' } }),
    KEPT,
  ],
  ['an action that is none', commerce({ product_action: { action: 'steal' } }), `${DATA}.product_action.action`],
  ['no action', commerce({ product_action: {} }), `${DATA}.product_action.action`],
  ['an unknown field of an action', action({ colour: 'x' }), `${DATA}.product_action.colour`],
  ['an amount as text', action({ total_amount: '1.5' }), `${DATA}.product_action.total_amount`],
  ['null as a transaction', action({ transaction_id: null }), `${DATA}.product_action.transaction_id`],
  ['a step', action({ checkout_step: 2 }), KEPT],
  ['half a step', action({ checkout_step: 2.5 }), `${DATA}.product_action.checkout_step`],
  ['a product with a number for an id', action({ products: [{ id: 7 }] }), `${DATA}.product_action.products[0].id`],
  ['attributes of a product that are text', action({ products: [{ custom_attributes: { a: 'x' } }] }), KEPT],
  [
    'attributes of a product that are numbers',
    action({ products: [{ custom_attributes: { a: 1 } }] }),
    `${DATA}.product_action.products[0].custom_attributes.a`,
  ],
  ['an impression', commerce({ product_impressions: [{ product_impression_list: 'x', products: [] }] }), KEPT],
  [
    'an impression of nothing',
    commerce({ product_impressions: [{ product_impression_list: 'x' }] }),
    `${DATA}.product_impressions[0].products`,
  ],
  ['a promotion', commerce({ promotion_action: { action: 'view', promotions: [{ id: 'a' }] } }), KEPT],
  [
    'a promotion that is bought',
    commerce({ promotion_action: { action: 'purchase' } }),
    `${DATA}.promotion_action.action`,
  ],
  [
    'an unknown field of a promotion',
    commerce({ promotion_action: { action: 'click', promotions: [{ code: 'a' }] } }),
    `${DATA}.promotion_action.promotions[0].code`,
  ],
  ['a cart', commerce({ shopping_cart: { products: [{ id: 'a' }] } }), KEPT],
  ['a cart without products', commerce({ shopping_cart: {} }), `${DATA}.shopping_cart.products`],
  ['true as a flag', commerce({ is_non_interactive: true }), KEPT],
  ['1 as a flag', commerce({ is_non_interactive: 1 }), `${DATA}.is_non_interactive`],
];

describe.each(Object.entries({ BATCH, DEVICE, EVENTS, COMMERCE }))('%s', (_part, rows) => {
  test.each(rows)('%s', async (_what, batch, refusedAt) => {
    const { status, messages } = await api.post('/v2/events', batch);
    const said = messages.map((message) => message.slice(0, message.indexOf(': ')));
    expect([status, ...said]).toEqual(refusedAt === KEPT ? [202] : [400, refusedAt]);
  });
});
