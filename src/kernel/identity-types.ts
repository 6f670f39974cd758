// The types of identities: keys of `user_identities`, and the device ids of `device_info`. Every room takes them from here.

/** Types that name a person, in the order of their priority; `alias` and those after it come behind the device ids. */
const USER_IDENTITY_TYPES = [
  'customer_id',
  'mobile_number',
  'email',
  'other',
  'facebook',
  'google',
  'twitter',
  'microsoft',
  'yahoo',
  'alias',
  'facebook_custom_audience_id',
  'phone_number_2',
  'phone_number_3',
  'other_id_2',
  'other_id_3',
  'other_id_4',
  'other_id_5',
  'other_id_6',
  'other_id_7',
  'other_id_8',
  'other_id_9',
  'other_id_10',
] as const;

/** Types that name a device and not a person. */
export const DEVICE_ID_TYPES = [
  'mp_deviceid',
  'ios_advertising_id',
  'ios_idfv',
  'android_advertising_id',
  'android_uuid',
  'fire_advertising_id',
  'roku_advertising_id',
  'roku_publisher_id',
  'microsoft_advertising_id',
  'microsoft_publisher_id',
  'amp_id',
  'push_token',
] as const;

/** All types. Their places in this list stand for them in typed arrays. */
export const IDENTITY_TYPES = [...USER_IDENTITY_TYPES, ...DEVICE_ID_TYPES] as const;
export type IdentityType = (typeof IDENTITY_TYPES)[number];

const BEFORE_DEVICES = USER_IDENTITY_TYPES.indexOf('alias');

/**
 * The order in which types decide whose profile it is, where a workspace sets none. Every type finds a profile: a row whose
 * only identity found nothing would create a new profile with every run.
 */
export const DEFAULT_PRIORITY: readonly IdentityType[] = [
  ...USER_IDENTITY_TYPES.slice(0, BEFORE_DEVICES),
  ...DEVICE_ID_TYPES,
  ...USER_IDENTITY_TYPES.slice(BEFORE_DEVICES),
];
