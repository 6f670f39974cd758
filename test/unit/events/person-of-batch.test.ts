import { describe, expect, it } from 'vitest';
import { personOfBatch } from '../../../src/events/index.ts';
import type { Person } from '../../../src/identity/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';

type Batch = Parameters<typeof personOfBatch>[0];

const RECEIVED_MS = 1_700_000_000_000;
const DEVICE = '0d3cbb5c-1d6d-4a0e-8f0e-0123456789ab';
const of = (text: string) => personOfBatch(parseJson(text) as Batch, RECEIVED_MS);
const ann = (rest: string) => of(`{"user_identities":{"customer_id":"ann"},${rest}}`) as Person;
const attributes = ({ attributes: { names, texts } }: Person) => names.map((name, i) => [name, texts[i]]);

describe('whom a batch speaks of', () => {
  it('has every kind of identity: of the user, of the device, and the device’s own', () => {
    const person = of(
      `{"user_identities":{"customerid":" ann ","email":"Ann@X.com","other":9007199254740993,"google":true,"alias":null},
        "device_info":{"brand":"x","ios_idfv":"${DEVICE}","push_token":"t","android_uuid":null},"mp_deviceid":"${DEVICE}"}`,
    );
    expect(person?.identities).toEqual([
      { type: 'customer_id', value: 'ann' },
      { type: 'email', value: 'Ann@X.com' },
      { type: 'other', value: '9007199254740993' },
      { type: 'google', value: 'true' },
      { type: 'ios_idfv', value: DEVICE },
      { type: 'push_token', value: 't' },
      { type: 'mp_deviceid', value: DEVICE },
    ]);
    expect(person).not.toHaveProperty('mpid');
    expect(person).not.toHaveProperty('consent');
  });

  it('names an identity once that stands under both of its spellings', () => {
    const { identities } = of('{"user_identities":{"customer_id":"a","customerid":"a"}}') as Person;
    expect(identities).toEqual([{ type: 'customer_id', value: 'a' }]);
  });

  it('has the MPID exactly, as a number or as digits', () => {
    expect(of('{"mpid":-9223372036854775808}')).toMatchObject({ mpid: -(2n ** 63n), identities: [] });
    expect(of('{"mpid":"9223372036854775807"}')).toMatchObject({ mpid: 2n ** 63n - 1n });
    expect(ann('"mpid":12')).toMatchObject({ mpid: 12n, identities: [{ value: 'ann' }] });
  });

  it('is nobody without identity, device id and MPID', () => {
    expect(of('{}')).toBeUndefined();
    expect(
      of(
        '{"user_identities":null,"device_info":{"brand":"x"},"mp_deviceid":null,"mpid":null,"user_attributes":{"a":1}}',
      ),
    ).toBeUndefined();
  });

  it('is not whom the all-zero id of devices that are not tracked seems to name', () => {
    const zero = '00000000-0000-0000-0000-000000000000';
    expect(of(`{"device_info":{"ios_advertising_id":"${zero}"},"mp_deviceid":"${zero}"}`)).toBeUndefined();
    const known = of(`{"user_identities":{"other":"${zero}"},"device_info":{"android_advertising_id":"${zero}"}}`);
    expect(known?.identities).toEqual([{ type: 'other', value: zero }]);
  });

  it('refuses an identity that validation should have refused', () => {
    expect(() => of('{"user_identities":{"email":" "}}')).toThrow(/email/);
  });
});

describe('what a batch says of a person', () => {
  it('sets attributes first and removes the deleted ones after that; null removes too', () => {
    const person = ann(
      '"user_attributes":{"a":1.50,"b":["x",null,2],"c":null,"d":"","e":true,"n":9007199254740993},"deleted_user_attributes":["a","z","z"]',
    );
    expect(attributes(person)).toEqual([
      ['a', null],
      ['b', '["x",null,2]'],
      ['c', null],
      ['d', '""'],
      ['e', 'true'],
      ['n', '9007199254740993'],
      ['z', null],
    ]);
  });

  it('takes __proto__ for a name like any other', () => {
    expect(attributes(ann('"user_attributes":{"__proto__":1}'))).toEqual([['__proto__', '1']]);
  });

  it.each([
    ['its own time', `${RECEIVED_MS - 5}`, RECEIVED_MS - 5],
    ['its receipt, where it gives none', 'null', RECEIVED_MS],
    ['its receipt, where its time is later', `${RECEIVED_MS + 5}`, RECEIVED_MS],
    ['its receipt, where its time is absurd', '9223372036854775807', RECEIVED_MS],
    ['the year 1, where its time is absurdly early', '-9223372036854775808', Date.parse('0001-01-01T00:00:00Z')],
  ])('was set at %s', (_, time, expectedMs) => {
    expect(ann(`"timestamp_unixtime_ms":${time}`).setAt).toBe(BigInt(expectedMs) * 1000n);
  });

  it('was set at its receipt where it says nothing of time', () => {
    expect((of('{"mp_deviceid":"x"}') as Person).setAt).toBe(BigInt(RECEIVED_MS) * 1000n);
  });
});

describe('what a batch says of consent', () => {
  const consentOf = (state: string) =>
    ann(`"timestamp_unixtime_ms":${RECEIVED_MS - 9},"consent_state":${state}`).consent;

  it('is kept as it came, with the time of each purpose', () => {
    const purpose = '{"regulation":"GDPR","consented":true,"timestamp_unixtime_ms":5,"document":"v1"}';
    expect(consentOf(`{"gdpr":{"ads":${purpose}},"ccpa":{"data_sale_opt_out":${purpose}}}`)).toBe(
      `{"gdpr":{"ads":${purpose}},"ccpa":{"data_sale_opt_out":${purpose}}}`,
    );
  });

  it('counts a purpose without a time from the batch’s own, and one from the future as received now', () => {
    expect(
      consentOf(
        '{"gdpr":{"a":{"consented":true,"timestamp_unixtime_ms":null},"b":{"consented":false,"timestamp_unixtime_ms":9223372036854775807}}}',
      ),
    ).toBe(
      `{"gdpr":{"a":{"consented":true,"timestamp_unixtime_ms":${RECEIVED_MS - 9}},"b":{"consented":false,"timestamp_unixtime_ms":${RECEIVED_MS}}}}`,
    );
  });

  it('is nothing where nothing is said', () => {
    for (const state of ['null', '{}', '{"gdpr":null}', '{"gdpr":{},"ccpa":{"x":null}}']) {
      expect(consentOf(state)).toBeUndefined();
    }
  });

  it('takes any name of a purpose', () => {
    const purpose = '{"consented":null,"timestamp_unixtime_ms":1}';
    expect(consentOf(`{"gdpr":{"__proto__":${purpose},"a\\"b":${purpose}}}`)).toBe(
      `{"gdpr":{"__proto__":${purpose},"a\\"b":${purpose}}}`,
    );
  });
});
