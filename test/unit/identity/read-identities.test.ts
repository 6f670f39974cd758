import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTITY_TYPES, identityTypeOfField } from '../../../src/identity/identity-types.ts';
import { readIdentities } from '../../../src/identity/routes/read-identities.ts';
import { type Issue, rawNumber } from '../../../src/kernel/index.ts';

function read(objects: Parameters<typeof readIdentities>[0]) {
  const issues: Issue[] = [];
  const { identities, spelled } = readIdentities(objects, issues);
  return { identities, spelled: Object.fromEntries(spelled), issues };
}

describe('identities of a request', () => {
  it('are one set of types, whatever the spelling, each remembered as it was written', () => {
    const known_identities = {
      customerid: 'c',
      other10: 'o',
      ios_idfa: 'i',
      android_aaid: 'a',
      device_application_stamp: 'd',
    };
    const user_identities = { fire_advertising_id: 'f', facebook_custom_audience_id: 'fb', mp_deviceid: 'd' };
    const { identities, spelled, issues } = read({ known_identities, user_identities });
    expect(issues).toEqual([]);
    expect(Object.fromEntries(identities.map(({ type, value }) => [type, value]))).toEqual({
      ...{ customer_id: 'c', other_id_10: 'o', ios_advertising_id: 'i', android_advertising_id: 'a', mp_deviceid: 'd' },
      ...{ fire_advertising_id: 'f', facebook_custom_audience_id: 'fb' },
    });
    expect(spelled).toMatchObject({ customer_id: 'customerid', mp_deviceid: 'mp_deviceid', other_id_10: 'other10' });
  });

  it('keep every digit of a number, are trimmed, and leave null out', () => {
    const known_identities = {
      other: 12345678901234567890n,
      other2: rawNumber('1.50'),
      other3: true,
      other4: null,
      email: ' A@x ',
    };
    expect(read({ known_identities }).identities.map(({ value }) => value)).toEqual([
      ...['12345678901234567890', '1.50', 'true', 'A@x'],
    ]);
  });

  it('may stand twice with one value, and not with two', () => {
    expect(read({ known_identities: { email: 'a@x' }, user_identities: { email: 'A@X' } }).issues).toEqual([]);
    const { issues } = read({ known_identities: { customerid: 'a', customer_id: 'b' } });
    expect(issues).toEqual([
      { path: 'known_identities.customer_id', message: expect.stringContaining('a different value') },
    ]);
  });

  it('are not the all-zero id that devices give which are not tracked', () => {
    const zero = '00000000-0000-0000-0000-000000000000';
    const known_identities = { ios_idfa: zero, android_aaid: zero.replaceAll('-', ''), other: zero };
    expect(read({ known_identities })).toMatchObject({ identities: [{ type: 'other', value: zero }], issues: [] });
  });

  it('of any order are the same', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(fc.constantFrom(...IDENTITY_TYPES))
          .chain((types) =>
            fc.shuffledSubarray(types, { minLength: types.length }).map((other) => [types, other] as const),
          ),
        ([one, other]) => {
          const of = (types: readonly string[]) =>
            new Set(
              read({ known_identities: Object.fromEntries(types.map((type) => [type, `v ${type}`])) }).identities.map(
                ({ type, value }) => `${type} ${value}`,
              ),
            );
          expect(of(one)).toEqual(of(other));
        },
      ),
    );
  });

  it.each([
    ['facebookcustomaudienceid', 'facebook_custom_audience_id'],
    ['microsoft_aid', 'microsoft_advertising_id'],
  ])('knows the spelling %s of client SDKs', (name, type) => {
    expect(identityTypeOfField(name)).toBe(type);
  });
});
