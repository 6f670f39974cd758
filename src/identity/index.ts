export { confirmIdentityKey } from './confirm-identity-key.ts';
export type {
  AttributeSet,
  Delivered,
  Environment,
  HeldIdentity,
  Identities,
  Identity,
  MentionedPerson,
  Person,
  PersonErased,
  PersonFailure,
  PersonOutcome,
  PersonRequest,
  Profile,
  ProfileAttribute,
  ProfilePage,
  ProfileScope,
  ResolutionPolicy,
} from './contract.ts';
export { createIdentities } from './create-identities.ts';
export { listDeliveriesUnderWay } from './deliver/creation-lock.ts';
export { deliverInTransaction } from './deliver/deliver-in-transaction.ts';
export { runExclusively } from './deliver/run-exclusively.ts';
export {
  DEFAULT_POLICY,
  IDENTITY_COLUMNS,
  IDENTITY_TYPES,
  type IdentityType,
  identityTypeOfColumn,
  identityTypeOfField,
  isDeviceId,
} from './identity-types.ts';
export { collectMentions } from './mentions/collect-mentions.ts';
export { isIdentifying } from './mentions/identifying-texts.ts';
export type { Meaning, MeaningsOf } from './mentions/matching-leaf.ts';
export {
  createMentionMatcher,
  type KeptRecord,
  type MentionMatcher,
  type MentionSearch,
  type PersonIdentifiers,
} from './mentions/mention-matcher.ts';
export { isAllZeroId, isIdentity, normaliseIdentity } from './normalise-identity.ts';
export type { HashOfRow, PreparedPeople, ResolutionScope } from './prepared-people.ts';
export { attributeNames, attributeSql } from './profiles/attribute-sql.ts';
export { keyText } from './profiles/attribute-text.ts';
export { boundSetTimeMs } from './profiles/bound-set-time.ts';
export { readFormerIdentities } from './profiles/former-identities.ts';
export { keepAllowedAttributes } from './profiles/keep-allowed-attributes.ts';
export { lastActivityMs } from './profiles/last-activity.ts';
export { countProfiles, readProfile, readProfilesAfter } from './profiles/read-profile.ts';
export { ENVIRONMENT_NUMBER } from './profiles/read-profiles.ts';
export type { IdentityRequests, ResolveAnswer, ResolveRequest, ResolveVerb } from './requests/contract.ts';
export { createIdentityRequests } from './requests/create-requests.ts';
export { findHolders, type Holder } from './resolve/find-holders.ts';
export { createAgeOf } from './resolve/mpids.ts';
export { policyOf } from './resolve/resolution-policy.ts';
export type { IdentityEndpointsDeps } from './routes/identity-endpoint.ts';
export { identityEndpoints } from './routes/identity-endpoints.ts';
export type {
  AppliedTombstones,
  ErasedPeople,
  Erasure,
  ProfileId,
  Tombstone,
  Tombstones,
} from './tombstones/contract.ts';
export { createTombstones } from './tombstones/create-tombstones.ts';
export { liftErasure } from './tombstones/lift-erasure.ts';
export { createTombstoneKeys, type TombstoneKeys } from './tombstones/tombstone-keys.ts';
