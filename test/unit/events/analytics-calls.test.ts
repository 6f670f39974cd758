// The batches that calls of analytics SDKs become (D-039, docs/analytics.md).
import { describe, expect, it, test } from 'vitest';
import type { CallFields, CallType } from '../../../src/events/analytics/call-contract.ts';
import { mapCall } from '../../../src/events/analytics/map-call.ts';
import { checkBatch, type EventBatch, personOfBatch } from '../../../src/events/index.ts';
import { LIMITS } from '../../support/batches/batches.ts';

const RECEIVED = Date.parse('2026-03-01T12:00:00.000Z');
const DEVICE = '6d1fe2a4-0d0f-4b3a-9a53-1f1f4a8a9c11';

function mapped(type: CallType, fields: CallFields, sentAt?: string) {
  const arrival = { receivedMs: RECEIVED, ...(sentAt !== undefined && { sentAt }) };
  const batch = mapCall({ type, fields }, { arrival, limits: LIMITS });
  expect(checkBatch(batch, LIMITS)).toEqual([]);
  return batch as EventBatch;
}
const dataOf = (type: CallType, fields: CallFields) => mapped(type, fields).events?.[0]?.data;

describe('a call', () => {
  it('of a page becomes a screen_view with its name and properties', () => {
    const { events } = mapped('page', { name: 'Home', category: 'Docs', properties: { path: '/', visits: 3 } });
    expect(events).toEqual([
      {
        event_type: 'screen_view',
        data: {
          timestamp_unixtime_ms: RECEIVED,
          event_name: 'Home',
          custom_attributes: { path: '/', visits: 3, category: 'Docs' },
        },
      },
    ]);
  });

  test.each([
    [{ properties: { title: 'Welcome', path: '/' } }, 'Welcome'],
    [{ properties: { path: '/a' } }, '/a'],
    [{ name: '', context: { page: { title: 'From the context' } } }, 'From the context'],
    [{ name: ' ', title: 'no source' }, ' '],
    [{}, 'page'],
  ])('of a page without a name is named by what there is: %j', (fields, name) => {
    expect(dataOf('page', fields)).toMatchObject({ event_name: name });
  });

  it('of a screen becomes a screen_view too', () => {
    expect(mapped('screen', { name: 'Cart' }).events).toMatchObject([
      { event_type: 'screen_view', data: { event_name: 'Cart' } },
    ]);
  });

  it('of a track becomes a custom_event', () => {
    expect(mapped('track', { event: 'Signed Up', properties: { plan: 'pro', trial: true, seats: 5 } }).events).toEqual([
      {
        event_type: 'custom_event',
        data: {
          timestamp_unixtime_ms: RECEIVED,
          event_name: 'Signed Up',
          custom_event_type: 'other',
          custom_attributes: { plan: 'pro', trial: true, seats: 5 },
        },
      },
    ]);
  });

  it('of an identify becomes an identity request: customer_id, email and phone, and traits as user attributes', () => {
    const traits = {
      email: 'Ann@example.com',
      phone: '+431',
      plan: 'pro',
      tags: ['a', 'b'],
      address: { city: 'Graz' },
    };
    expect(mapped('identify', { userId: 'u1', traits })).toEqual({
      timestamp_unixtime_ms: RECEIVED,
      user_identities: { customer_id: 'u1', email: 'Ann@example.com', mobile_number: '+431' },
      user_attributes: { plan: 'pro', tags: ['a', 'b'], address: '{"city":"Graz"}' },
    });
  });

  it('of an identify takes traits from the context where the call has none', () => {
    const context = { traits: { email: 'a@example.com', plan: 'old', city: 'Linz' } };
    const { user_identities, user_attributes } = mapped('identify', { userId: 'u', traits: { plan: 'new' }, context });
    expect(user_identities).toMatchObject({ email: 'a@example.com' });
    expect(user_attributes).toEqual({ plan: 'new', city: 'Linz' });
  });

  it('of an identify removes the attribute of a trait that is null', () => {
    expect(mapped('identify', { userId: 'u', traits: { plan: null } }).user_attributes).toEqual({ plan: null });
  });

  it('of a track takes e-mail and phone from the context, and no attribute', () => {
    const batch = mapped('track', { event: 'x', context: { traits: { email: 'a@example.com', plan: 'pro' } } });
    expect(batch).toMatchObject({ user_identities: { email: 'a@example.com' } });
    expect(batch).not.toHaveProperty('user_attributes');
  });

  it('of an alias joins the id the person had before', () => {
    const batch = mapped('alias', { userId: 'u1', previousId: DEVICE });
    expect(batch).toMatchObject({ mp_deviceid: DEVICE, user_identities: { customer_id: 'u1' } });
    expect(batch).not.toHaveProperty('events');
  });

  it('of a group becomes a custom_event, its traits no user attributes', () => {
    const batch = mapped('group', { userId: 'u1', groupId: 'g1', traits: { name: 'Initech' } });
    expect(batch.events).toMatchObject([
      {
        event_type: 'custom_event',
        data: {
          event_name: 'group',
          custom_event_type: 'other',
          custom_attributes: { groupId: 'g1', name: 'Initech' },
        },
      },
    ]);
    expect(batch).not.toHaveProperty('user_attributes');
  });
});

describe('the person of a call', () => {
  test.each([
    [{ userId: 'u1' }, { user_identities: { customer_id: 'u1' } }],
    [{ userId: 7 }, { user_identities: { customer_id: 7 } }],
    [{ anonymousId: DEVICE }, { mp_deviceid: DEVICE }],
    [{ anonymousId: 'anon-1' }, { user_identities: { other: 'anon-1' } }],
    [{ userId: 'u', anonymousId: 'a' }, { user_identities: { customer_id: 'u', other: 'a' } }],
  ])('%j is %j', (fields, expected) => {
    expect(mapped('track', { event: 'x', ...fields })).toMatchObject(expected);
  });

  test.each([
    [{ userId: '' }],
    [{ userId: null }],
    [{ userId: '  ', anonymousId: ' \t' }],
    [{ context: { traits: { email: ' ', phone: '' } } }],
    [{ context: { traits: { email: `${'x'.repeat(1020)}@example.com` } } }],
    [{ anonymousId: '00000000-0000-0000-0000-000000000000' }],
  ])('is nobody for %j', (fields) => {
    expect(personOfBatch(mapped('track', { event: 'x', ...fields }), RECEIVED)).toBeUndefined();
  });
});

describe('the time of a call', () => {
  const timeOf = (fields: CallFields, sentAt?: string) =>
    mapped('track', { event: 'x', ...fields }, sentAt).timestamp_unixtime_ms;
  const at = (text: string) => Date.parse(`2026-03-01T${text}.000Z`);
  const iso = (text: string) => `2026-03-01T${text}.000Z`;

  it('is receipt − (sentAt − timestamp), whatever the clock of the sender says', () => {
    expect(timeOf({ timestamp: iso('09:00:00'), sentAt: iso('09:00:10') })).toBe(at('11:59:50'));
    expect(timeOf({ timestamp: '1970-01-01T00:00:00Z', sentAt: '1970-01-01T01:00:05+01:00' })).toBe(at('11:59:55'));
  });
  it('takes sentAt of the request where the call has none, and the call’s own before it', () => {
    expect(timeOf({ timestamp: iso('09:00:00') }, iso('09:00:20'))).toBe(at('11:59:40'));
    expect(timeOf({ timestamp: iso('09:00:00'), sentAt: iso('09:00:01') }, iso('09:00:20'))).toBe(at('11:59:59'));
  });
  it('takes originalTimestamp where there is no timestamp', () => {
    expect(timeOf({ originalTimestamp: iso('09:00:00'), sentAt: iso('09:00:10') })).toBe(at('11:59:50'));
  });
  it('is the timestamp without a sentAt, and the receipt without either', () => {
    expect(timeOf({ timestamp: iso('09:00:00') })).toBe(at('09:00:00'));
    expect(timeOf({ sentAt: iso('09:00:00') })).toBe(RECEIVED);
  });
  it('stands in the batch and in its event', () => {
    expect(dataOf('track', { event: 'x', timestamp: iso('09:00:00') })).toMatchObject({
      timestamp_unixtime_ms: at('09:00:00'),
    });
  });
});

describe('the context of a call', () => {
  const context = {
    ip: '203.0.113.7',
    locale: 'de-AT',
    timezone: 'Europe/Vienna',
    userAgent: 'Mozilla/5.0',
    os: { name: 'iOS', version: '17.4' },
    device: {
      id: DEVICE,
      advertisingId: '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
      adTrackingEnabled: false,
      attTrackingStatus: 2,
      model: 'iPhone15,2',
      manufacturer: 'Apple',
      token: 'tok',
    },
    screen: { width: 390, height: '844', density: 3 },
    app: { name: 'Shop', version: '2.1', build: 99, namespace: 'com.example.shop' },
    library: { name: 'analytics-ios', version: '4.0' },
    campaign: { name: 'spring', source: 'mail', medium: 'email' },
    location: { latitude: 48.2, longitude: 16.4, city: 'Wien' },
    network: { carrier: 'A1', wifi: true },
    consent: { categoryPreferences: { Advertising: false, Analytics: true } },
  };
  const batch = mapped('track', { event: 'x', context });

  it('becomes device, application, place, attribution and consent', () => {
    expect(batch).toMatchObject({
      ip: '203.0.113.7',
      sdk_version: 'analytics-ios 4.0',
      device_info: {
        platform: 'iOS',
        os_version: '17.4',
        ios_idfv: DEVICE,
        ios_advertising_id: '3F2504E0-4F89-41D3-9A0C-0305E82C3301',
        limit_ad_tracking: true,
        att_authorization_status: 'denied',
        device_model: 'iPhone15,2',
        device_manufacturer: 'Apple',
        push_token: 'tok',
        screen_width: 390,
        screen_height: 844,
        locale_language: 'de',
        locale_country: 'AT',
        http_header_user_agent: 'Mozilla/5.0',
        network_carrier: 'A1',
      },
      application_info: {
        os: 'IOS',
        application_name: 'Shop',
        application_version: '2.1',
        application_build_number: 99,
        package: 'com.example.shop',
      },
      attribution_info: { campaign: 'spring', publisher: 'mail', service_provider: null },
      context: { location: { latitude: 48.2, longitude: 16.4, city_name: 'Wien' } },
      consent_state: {
        gdpr: {
          Advertising: { consented: false, timestamp_unixtime_ms: RECEIVED },
          Analytics: { consented: true, timestamp_unixtime_ms: RECEIVED },
        },
      },
    });
  });

  it('stays as flags of the event where it has no place of its own', () => {
    expect(batch.events?.[0]?.data).toHaveProperty('custom_flags', {
      'context.timezone': 'Europe/Vienna',
      'context.os.name': 'iOS',
      'context.screen.density': 3,
      'context.campaign.medium': 'email',
      'context.network.wifi': true,
    });
  });

  it('says which ids a device of another kind has', () => {
    const android = { os: { name: 'Android' }, device: { id: 'a1b2', advertisingId: DEVICE } };
    expect(mapped('track', { event: 'x', context: android }).device_info).toEqual({
      platform: 'Android',
      android_uuid: 'a1b2',
      android_advertising_id: DEVICE,
    });
  });

  it('never makes an identity of the advertising id that all devices share', () => {
    const nobody = { os: { name: 'ios' }, device: { advertisingId: '00000000-0000-0000-0000-000000000000' } };
    expect(personOfBatch(mapped('track', { event: 'x', context: nobody }), RECEIVED)).toBeUndefined();
  });

  it('reads the consent of RudderStack', () => {
    const consentManagement = { allowedConsentIds: ['C1'], deniedConsentIds: ['C2'], provider: 'oneTrust' };
    expect(mapped('track', { event: 'x', context: { consentManagement } }).consent_state).toMatchObject({
      gdpr: { C1: { consented: true }, C2: { consented: false } },
    });
  });
});
