import type { IdentityType } from '../../kernel/index.ts';
import { AnyString, identities } from './leaves.ts';
import { closed } from './objects.ts';

/** Keys of `user_identities` in the order in which messages list them; some clients spell `customer_id` as `customerid`. */
export const USER_IDENTITIES = [
  'other',
  'customer_id',
  'customerid',
  'facebook',
  'twitter',
  'google',
  'microsoft',
  'yahoo',
  'email',
  'alias',
  'facebook_custom_audience_id',
  'other_id_2',
  'other_id_3',
  'other_id_4',
  'other_id_5',
  'other_id_6',
  'other_id_7',
  'other_id_8',
  'other_id_9',
  'other_id_10',
  'mobile_number',
  'phone_number_2',
  'phone_number_3',
] as const satisfies readonly (IdentityType | 'customerid')[];

export const UserIdentities = closed(identities(AnyString, ...USER_IDENTITIES), { title: 'UserIdentities' });
