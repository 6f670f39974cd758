// Identity types of data subject requests, each with the identity type of profiles that it means
// (docs/spec/data-subject-requests.md#identity-types).
import type { IdentityType } from '../../identity/index.ts';

/** Types at the top level of `subject_identities`, in the order of the specification. */
export const TOP_TYPES = {
  controller_customer_id: 'customer_id',
  email: 'email',
  android_advertising_id: 'android_advertising_id',
  android_id: 'android_uuid',
  fire_advertising_id: 'fire_advertising_id',
  ios_advertising_id: 'ios_advertising_id',
  ios_vendor_id: 'ios_idfv',
  microsoft_advertising_id: 'microsoft_advertising_id',
  microsoft_publisher_id: 'microsoft_publisher_id',
  roku_advertising_id: 'roku_advertising_id',
  roku_publishing_id: 'roku_publisher_id',
  // Both spellings are accepted (D-053).
  roku_publisher_id: 'roku_publisher_id',
} as const satisfies Readonly<Record<string, IdentityType>>;

/** Types in Penstock's extension. `mpid` is one more, but no identity of a profile. */
export const EXTENSION_TYPES = {
  other: 'other',
  other2: 'other_id_2',
  other3: 'other_id_3',
  other4: 'other_id_4',
  other5: 'other_id_5',
  other6: 'other_id_6',
  other7: 'other_id_7',
  other8: 'other_id_8',
  other9: 'other_id_9',
  other10: 'other_id_10',
  mobile_number: 'mobile_number',
  phone_number_2: 'phone_number_2',
  phone_number_3: 'phone_number_3',
} as const satisfies Readonly<Record<string, IdentityType>>;

const NAMES: Readonly<Record<string, IdentityType>> = { ...TOP_TYPES, ...EXTENSION_TYPES };

export const TOP_NAMES = Object.keys(TOP_TYPES);
export const EXTENSION_NAMES = Object.keys(EXTENSION_TYPES);

/** Types that discovery lists, with `roku_publisher_id` in place of `roku_publishing_id`. */
// Types of the extension are not listed: they are no OpenDSR types, and clients of discovery would not know them.
export const DISCOVERED_NAMES = TOP_NAMES.filter((name) => name !== 'roku_publishing_id');

/** Returns the identity type that a request calls `name`; undefined where no type has this name. */
export function identityTypeOfName(name: string): IdentityType | undefined {
  return Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
}
