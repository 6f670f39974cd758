import { describe, expect, it } from 'vitest';
import { USER_IDENTITIES } from '../../../src/events/contract/user-identities.ts';
import {
  DEFAULT_PRIORITY,
  IDENTITY_TYPES,
  identityTypeOfColumn,
  identityTypeOfField,
  isDeviceId,
} from '../../../src/identity/identity-types.ts';

describe('identity types', () => {
  it('knows the reserved columns in any case (D-100)', () => {
    const reserved =
      'customer_id customerid email facebook twitter google microsoft yahoo alias other other_id_2 other_id_3 other_id_4 other_id_5 other_id_6 other_id_7 other_id_8 other_id_9 other_id_10 facebook_custom_audience_id mobile_number phone_number_2 phone_number_3 android_uuid ios_advertising_id ios_idfv push_token android_advertising_id amp_id roku_advertising_id roku_publisher_id microsoft_advertising_id microsoft_publisher_id fire_advertising_id mp_deviceid';
    for (const column of reserved.split(' ')) {
      expect(identityTypeOfColumn(column.toUpperCase()), column).toBeDefined();
    }
    expect(new Set(reserved.split(' ').map(identityTypeOfColumn)).size).toBe(IDENTITY_TYPES.length);
    expect(identityTypeOfColumn('mpid')).toBeUndefined();
    expect(identityTypeOfColumn('other2')).toBeUndefined();
    expect(identityTypeOfColumn('__proto__')).toBeUndefined();
  });

  it('maps the spellings of known_identities to one internal set (D-046)', () => {
    expect(
      [
        'customerid',
        'other2',
        'other10',
        'ios_idfa',
        'android_aaid',
        'fire_aid',
        'roku_aid',
        'device_application_stamp',
      ].map(identityTypeOfField),
    ).toEqual([
      'customer_id',
      'other_id_2',
      'other_id_10',
      'ios_advertising_id',
      'android_advertising_id',
      'fire_advertising_id',
      'roku_advertising_id',
      'mp_deviceid',
    ]);
    expect(identityTypeOfField('Email')).toBeUndefined();
  });

  it('names as many types of people as a batch does, which also spells customer_id as customerid', () => {
    const people = IDENTITY_TYPES.filter((type) => !isDeviceId(type));
    expect([...USER_IDENTITIES].sort()).toEqual([...people, 'customerid'].sort());
  });

  it('walks customer_id … yahoo, then device ids, then the types nobody ranked', () => {
    expect(DEFAULT_PRIORITY.slice(0, 9)).toEqual(
      'customer_id mobile_number email other facebook google twitter microsoft yahoo'.split(' '),
    );
    expect(DEFAULT_PRIORITY.slice(9, 21).every(isDeviceId)).toBe(true);
    expect(new Set(DEFAULT_PRIORITY)).toEqual(new Set(IDENTITY_TYPES));
  });
});
