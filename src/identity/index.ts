export { onlyAllowed } from './allowed-attributes.ts';
export { aloneInTransaction } from './alone-in-transaction.ts';
export { attributeNames, attributeSql } from './attribute-sql.ts';
export { keyText } from './attribute-text.ts';
export { confirmIdentityKey } from './confirm-identity-key.ts';
export type {
  AttributeSet,
  Delivered,
  Environment,
  HashOfRow,
  HeldIdentity,
  Identities,
  Identity,
  NamedPerson,
  Person,
  PersonErased,
  PersonFailure,
  PersonOutcome,
  PersonRequest,
  PreparedPeople,
  Profile,
  ProfileAttribute,
  ProfilePage,
  ProfileScope,
  ResolutionPolicy,
  ResolutionScope,
} from './contract.ts';
export { createIdentities } from './create-identities.ts';
export { underWay } from './creation-lock.ts';
export { deliverInTransaction } from './deliver-in-transaction.ts';
export { findHolders, type Holder } from './find-holders.ts';
export { readFormerIdentities } from './former-identities.ts';
export {
  DEFAULT_POLICY,
  IDENTITY_COLUMNS,
  IDENTITY_TYPES,
  type IdentityType,
  identityTypeOfColumn,
  identityTypeOfField,
  isDeviceId,
} from './identity-types.ts';
export { lastActivityMs } from './last-activity.ts';
export { createAgeOf } from './mpids.ts';
export {
  createNamesPerson,
  type KeptRecord,
  type NamesIn,
  type NamesPerson,
  type PersonNames,
} from './names-person.ts';
export { isIdentity, namesNobody, normaliseIdentity } from './normalise-identity.ts';
export { countProfiles, readProfile, readProfilesAfter } from './read-profile.ts';
export { ENVIRONMENT_NUMBER } from './read-profiles.ts';
export type {
  IdentityRequests,
  ResolveAnswer,
  ResolveRequest,
  ResolveVerb,
} from './requests/contract.ts';
export { createIdentityRequests } from './requests/create-requests.ts';
export { policyOf } from './resolution-policy.ts';
export type { IdentityEndpointsDeps } from './routes/identity-endpoint.ts';
export { identityEndpoints } from './routes/identity-endpoints.ts';
export { settingMs } from './setting-time.ts';
export type { Meaning, MeaningsOf } from './some-leaf.ts';
export { isTelling } from './telling-texts.ts';
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
export { whoIsNamed } from './who-is-named.ts';
