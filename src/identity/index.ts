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
  PreparedPeople,
  Profile,
  ProfileScope,
  ResolutionScope,
} from './contract.ts';
export { createIdentities } from './create-identities.ts';
export { deliverInTransaction } from './deliver-in-transaction.ts';
export {
  DEFAULT_POLICY,
  IDENTITY_TYPES,
  type IdentityType,
  identityTypeOfColumn,
  isDeviceId,
} from './identity-types.ts';
export { isIdentity, normaliseIdentity } from './normalise-identity.ts';
export { countProfiles, readProfile } from './read-profile.ts';
export { ENVIRONMENT_NUMBER } from './read-profiles.ts';
