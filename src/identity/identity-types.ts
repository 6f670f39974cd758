// Every spelling that the wire has for a type of identity, and the policy that orders the types.
import { DEFAULT_PRIORITY, DEVICE_ID_TYPES, IDENTITY_TYPES, type IdentityType } from '../kernel/index.ts';
import type { ResolutionPolicy } from './contract.ts';

export { DEFAULT_PRIORITY, IDENTITY_TYPES, type IdentityType };

/** Returns one byte a type, by its index of IDENTITY_TYPES: 1 for those of `types`. */
export function flagsOf(types: readonly IdentityType[]): Uint8Array {
  return Uint8Array.from(IDENTITY_TYPES, (type) => (types.includes(type) ? 1 : 0));
}

const DEVICE_IDS: ReadonlySet<IdentityType> = new Set(DEVICE_ID_TYPES);
export const isDeviceId = (type: IdentityType): boolean => DEVICE_IDS.has(type);

export const DEFAULT_POLICY: ResolutionPolicy = {
  strategy: 'profile_conversion',
  priority: DEFAULT_PRIORITY,
  loginTypes: ['customer_id'],
};

/** Other spellings of types, in `known_identities` (D-046) and in data subject requests. */
const ALIASES: readonly (readonly [string, IdentityType])[] = [
  ['customerid', 'customer_id'],
  ['other2', 'other_id_2'],
  ['other3', 'other_id_3'],
  ['other4', 'other_id_4'],
  ['other5', 'other_id_5'],
  ['other6', 'other_id_6'],
  ['other7', 'other_id_7'],
  ['other8', 'other_id_8'],
  ['other9', 'other_id_9'],
  ['other10', 'other_id_10'],
  ['ios_idfa', 'ios_advertising_id'],
  ['android_aaid', 'android_advertising_id'],
  ['fire_aid', 'fire_advertising_id'],
  ['roku_aid', 'roku_advertising_id'],
  ['device_application_stamp', 'mp_deviceid'],
  // The specification does not list these. The client SDKs write them too.
  ['facebookcustomaudienceid', 'facebook_custom_audience_id'],
  ['microsoft_aid', 'microsoft_advertising_id'],
];

const OWN_NAMES = IDENTITY_TYPES.map((type) => [type, type] as const);
const REQUEST_NAMES: ReadonlyMap<string, IdentityType> = new Map([...OWN_NAMES, ...ALIASES]);

/** Reserved columns, in lower case, with the type of each (D-100). `mpid` is not among them: it has its own rule. */
export const IDENTITY_COLUMNS: Readonly<Record<string, IdentityType>> = Object.fromEntries([
  ...OWN_NAMES,
  ['customerid', 'customer_id'],
]);

/** All spellings of `known_identities` and `user_identities`. */
export const IDENTITY_FIELDS: readonly string[] = [...REQUEST_NAMES.keys()];

/** Returns the type of a key of `known_identities` or `user_identities`, in exact case (D-046). */
export function identityTypeOfField(name: string): IdentityType | undefined {
  return REQUEST_NAMES.get(name);
}

/** Returns the type that a reserved column means, in any case. */
export function identityTypeOfColumn(name: string): IdentityType | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(IDENTITY_COLUMNS, key) ? IDENTITY_COLUMNS[key] : undefined;
}
