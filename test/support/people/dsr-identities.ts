// Identity types of data subject requests: their names, and the types of a profile that they mean.
export const TOP_IDENTITIES = [
  ['controller_customer_id', 'customer_id'],
  ['email', 'email'],
  ['android_advertising_id', 'android_advertising_id'],
  ['android_id', 'android_uuid'],
  ['fire_advertising_id', 'fire_advertising_id'],
  ['ios_advertising_id', 'ios_advertising_id'],
  ['ios_vendor_id', 'ios_idfv'],
  ['microsoft_advertising_id', 'microsoft_advertising_id'],
  ['microsoft_publisher_id', 'microsoft_publisher_id'],
  ['roku_advertising_id', 'roku_advertising_id'],
  ['roku_publishing_id', 'roku_publisher_id'],
  ['roku_publisher_id', 'roku_publisher_id'],
] as const;

export const EXTENSION_IDENTITIES: readonly (readonly [string, string])[] = [
  ['other', 'other'],
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [`other${n}`, `other_id_${n}`] as const),
  ['mobile_number', 'mobile_number'],
  ['phone_number_2', 'phone_number_2'],
  ['phone_number_3', 'phone_number_3'],
];
