import { describe, expect, it } from 'vitest';
import { checkBatch } from '../../../src/events/index.ts';
import { parseJson, stringifyJson } from '../../../src/kernel/index.ts';
import { complaint, event, LIMITS, paths } from '../../support/batches/batches.ts';

interface Type {
  readonly put: (value: unknown) => unknown;
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

describe('single values', () => {
  const ofData = (name: string) => (value: unknown) => event('first_run', { [name]: value });
  const ofBatch = (name: string) => (value: unknown) => ({ [name]: value });
  const TYPES: Readonly<Record<string, Type>> = {
    String: { put: ofBatch('api_key'), good: ['a', '', null, true, 1, 1.5, 2n ** 63n], bad: [{}, []] },
    Integer: {
      put: ofBatch('timestamp_unixtime_ms'),
      good: [1, -1, null, 2n ** 63n - 1n, -(2n ** 63n)],
      bad: [1.5, '1', true, 2n ** 63n, -(2n ** 63n) - 1n, 2 ** 63, 1e300],
    },
    MPID: {
      put: ofBatch('mpid'),
      good: ['-9223372036854775808', '9223372036854775807', '7', 7, null],
      bad: ['9223372036854775808', '', 'a', '1.5', true],
    },
    Uuid: {
      put: ofBatch('mp_deviceid'),
      good: ['01234567-89ab-cdef-ABCD-0123456789aB', null],
      bad: ['0123456789abcdef0123456789abcdef', '01234567-89ab-cdef-abcd-0123456789ag', 'x', 1],
    },
    IP: {
      put: ofBatch('ip'),
      good: ['10.0.0.1', '::1', '2001:db8::8a2e:370:7334', null],
      bad: ['10.0.0', '256.1.1.1', 'host', 1, ''],
    },
    'array of string': { put: ofBatch('api_keys'), good: [[], ['a', 'b'], null], bad: [[1], [null], 'a'] },
    Number: { put: ofData('lifetime_value_change'), good: [1, 1.5, null, 2n ** 70n], bad: ['1', true, {}] },
    string: { put: ofData('source_message_id'), good: ['a', ''], bad: [null, 1, true, 2n ** 63n] },
    Boolean: { put: ofData('is_main_thread'), good: [true, false, null], bad: ['true', 0] },
  };

  it.each(Object.entries(TYPES))('of type %s are what the specification says', (_name, { put, good, bad }) => {
    for (const value of good) expect(checkBatch(put(value), LIMITS), stringifyJson(value)).toEqual([]);
    for (const value of bad) expect(checkBatch(put(value), LIMITS), stringifyJson(value)).toHaveLength(1);
  });

  it('says what is wrong with a value and what would be right', () => {
    expect(complaint({ timestamp_unixtime_ms: 'soon' })).toBe(
      'timestamp_unixtime_ms: must be a whole number of 64 bits, or null, is "soon"',
    );
    expect(complaint({ mpid: '1e3' })).toBe(
      'mpid: must be a whole number of 64 bits, or its digits as text, or null, is "1e3"',
    );
    expect(complaint({ ip: '1.2.3' })).toBe('ip: must be an IPv4 or IPv6 address, or null, is "1.2.3"');
    expect(complaint({ api_key: {} })).toBe(
      'api_key: must be a single value (text, a number, true or false), or null, is an object',
    );
    expect(complaint(event('first_run', { source_message_id: null }))).toBe(
      'events[0].data.source_message_id: must be text, is null',
    );
  });

  it('takes every digit of what the lossless parser gives', () => {
    const text = `{"mpid":9223372036854775807,"batch_id":-9223372036854775808,"user_attributes":{"a":0.12345678901234567890123,"b":123456789012345678901234567890},"events":[{"event_type":"profile","data":{"previous_mpid":9223372036854775807,"current_mpid":"-9223372036854775808","profile_event_type":"login","event_id":9007199254740993,"lifetime_value_change":0.12345678901234567890123}}]}`;
    expect(checkBatch(parseJson(text), LIMITS, text)).toEqual([]);
    expect(complaint(parseJson('{"batch_id":9223372036854775808}'))).toContain('is 9223372036854775808');
    expect(complaint(parseJson('{"batch_id":0.12345678901234567890123}'))).toContain('is 0.12345678901234567890123');
    expect(complaint(parseJson('{"device_info":0.12345678901234567890123}'))).toContain('is a number');
  });

  it('takes a String or a list of them for a user attribute, and nothing deeper', () => {
    const good = { a: 'x', b: null, c: ['x', 1, null, true], d: [] };
    expect(checkBatch({ user_attributes: good }, LIMITS)).toEqual([]);
    expect(paths({ user_attributes: { a: { b: 1 }, c: ['x', ['y']] } })).toEqual([
      'user_attributes.a',
      'user_attributes.c[1]',
    ]);
    expect(paths(event('first_run', { custom_attributes: { a: ['x'] } }))).toEqual([
      'events[0].data.custom_attributes.a',
    ]);
  });

  it('contains the values of integration_attributes, apple_search_ads_attributes and partner_identities to String', () => {
    expect(paths({ integration_attributes: { 12: { a: {} } } })).toEqual(['integration_attributes["12"].a']);
    expect(paths({ integration_attributes: { a: 'x' } })).toEqual(['integration_attributes.a']);
    expect(paths({ application_info: { apple_search_ads_attributes: { v: { a: [] } } } })).toEqual([
      'application_info.apple_search_ads_attributes.v.a',
    ]);
    expect(paths({ partner_identities: { p: {} } })).toEqual(['partner_identities.p']);
  });

  it('reads a path of odd names without doubt', () => {
    expect(paths({ user_attributes: { 'a.b': {}, constructor: {}, '': {} } })).toEqual([
      'user_attributes["a.b"]',
      'user_attributes.constructor',
      'user_attributes[""]',
    ]);
    expect(paths(parseJson('{"__proto__":1}'))).toEqual(['__proto__']);
  });
});

describe('identities', () => {
  it.each([
    ['user_identities', 'email', 'user_identities.email'],
    ['device_info', 'push_token', 'device_info.push_token'],
    ['device_info', 'android_uuid', 'device_info.android_uuid'],
  ])('in %s are neither empty nor over 1,024 bytes (%s)', (place, name, path) => {
    const put = (value: unknown) => ({ [place]: { [name]: value } });
    for (const value of ['x', null, 7, 2n ** 63n, 'é'.repeat(512)]) expect(paths(put(value))).toEqual([]);
    expect(complaint(put(''))).toBe(`${path}: is empty; leave the identity out or give it a value.`);
    expect(complaint(put('  '))).toContain('is empty');
    expect(complaint(put(`${'é'.repeat(512)}x`))).toContain('is longer than 1024 bytes');
  });

  it('may be named by every key of the specification, and customerid', () => {
    const numbered = Array.from({ length: 9 }, (_, index) => `other_id_${index + 2}`);
    const names =
      'other customer_id customerid facebook twitter google microsoft yahoo email alias facebook_custom_audience_id mobile_number phone_number_2 phone_number_3';
    const all = [...names.split(' '), ...numbered].map((name) => [name, 'x']);
    expect(checkBatch({ user_identities: Object.fromEntries(all) }, LIMITS)).toEqual([]);
  });

  it('are refused when customer_id and customerid differ', () => {
    expect(complaint({ user_identities: { customer_id: 'a', customerid: 'b' } })).toContain(
      'user_identities.customerid: ',
    );
    expect(checkBatch({ user_identities: { customer_id: '7', customerid: 7 } }, LIMITS)).toEqual([]);
    expect(checkBatch({ user_identities: { customer_id: 'a', customerid: null } }, LIMITS)).toEqual([]);
  });
});

describe('text that cannot be stored', () => {
  const evil = ['a\0b', 'a\ud800', '\udc00b'];
  it.each(evil)('is refused wherever it stands (%j)', (text) => {
    expect(complaint({ api_key: text })).toMatch(/^api_key: contains .* cannot be stored/);
    expect(paths({ user_identities: { email: text } })).toEqual(['user_identities.email']);
    expect(paths({ user_attributes: { a: ['x', text] } })).toEqual(['user_attributes.a[1]']);
    expect(paths(event('first_run', { colour: [{ shade: text }] }))).toEqual(['events[0].data.colour[0].shade']);
    expect(paths({ environment: text })).toEqual(['environment']);
    expect(complaint(event('first_run', { [text]: 1 }))).toContain('has a name with');
  });

  it('is found by the source as well', () => {
    const source = '{"api_key":"a\\u0000"}';
    expect(checkBatch(parseJson(source), LIMITS, source)).toHaveLength(1);
    const harmless = '{"api_key":"a\\\\u0000 \\ud83d\\ude00"}';
    expect(checkBatch(parseJson(harmless), LIMITS, harmless)).toEqual([]);
  });
});
