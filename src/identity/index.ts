export { confirmIdentityKey } from './confirm-identity-key.ts';
export type {
  AttributeSet,
  Delivered,
  Environment,
  Identities,
  Identity,
  Person,
  PersonFailure,
  PersonOutcome,
  PersonRule,
  PreparedPeople,
  Profile,
  ProfileAttribute,
  ProfileScope,
  ResolutionPolicy,
  ResolutionScope,
  StrategyName,
} from './contract.ts';
export { createIdentities, type IdentityOptions } from './create-identities.ts';
export { type DeliveryWork, deliverInTransaction } from './deliver-in-transaction.ts';
export {
  DEFAULT_POLICY,
  IDENTITY_TYPES,
  type IdentityType,
  identityTypeOfColumn,
  identityTypeOfField,
  isDeviceId,
} from './identity-types.ts';
export { isIdentity, normaliseIdentity } from './normalise-identity.ts';
export { countProfiles, readProfile } from './read-profile.ts';
