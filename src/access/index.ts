// Who may do what: organisations, accounts, workspaces, their credentials, the tokens these get, the bearer check, settings
// and audit log of a workspace. This room knows no person, no pipeline and no warehouse; others ask it who is calling,
// read a workspace's settings, and hand it what they changed.
// Terminology: a *platform credential* belongs to an account and gets bearer tokens for the platform API; an *input
// credential* belongs to a workspace and signs data that comes in; a *grant* is what a credential may do in one workspace.
export type { AccessDeps, Actor } from './access-deps.ts';
export { createAllowsOrigin } from './allows-origin.ts';
export { createAuthenticate } from './authenticate.ts';
export { type Ceilings, requireKnownLimits } from './ceilings.ts';
export { changeInputUses } from './change-input-uses.ts';
export { changePlatformCredential } from './change-platform-credential.ts';
export { changesOfResource } from './changes-of-resource.ts';
export { createAccount } from './create-account.ts';
export { createInputCredential } from './create-input-credential.ts';
export { createOrganisation } from './create-organisation.ts';
export { createPlatformCredential } from './create-platform-credential.ts';
export { createWorkspace } from './create-workspace.ts';
export { type DataPlanUses, findDataPlan, type RegisteredPlan } from './data-plan.ts';
export { eraseFromChanges, eraseLooks, readChanges } from './erase-changes.ts';
export { expireChanges } from './expire-changes.ts';
export { findFeed, findFeedByKey, isWarehouseModule, listFeeds } from './feed.ts';
export { generateSecret } from './generate-credential.ts';
export { type Initialised, initialise } from './initialise.ts';
export type { InputUse } from './input-uses.ts';
export { listAccounts } from './list-accounts.ts';
export { listInputCredentials } from './list-input-credentials.ts';
export { listOrganisations } from './list-organisations.ts';
export { listPlatformCredentials } from './list-platform-credentials.ts';
export { listWorkspaces } from './list-workspaces.ts';
export type { Role } from './platform-credential.ts';
export { provisionAccount } from './provision-account.ts';
export { createSettingsReader, readSettings, type SettingsReader } from './read-settings.ts';
export { recordChange, recordChanges } from './record-change.ts';
export { revokeInputCredential } from './revoke-input-credential.ts';
export { revokePlatformCredential } from './revoke-platform-credential.ts';
export { rotateInputCredential } from './rotate-input-credential.ts';
export { rotatePlatformCredential } from './rotate-platform-credential.ts';
export { rotateSigningKey } from './rotate-signing-key.ts';
export { ROTATION_GRACE_MS } from './rotation-grace.ts';
export { type AccessEndpointsDeps, accessEndpoints } from './routes.ts';
export { accessSecrets } from './sealed-tables.ts';
export type { WorkspaceSettings } from './settings.ts';
export { ensureSigningKey } from './signing-key.ts';
export { createSigningKeys } from './signing-keys.ts';
export { switchFeed } from './switch-feed.ts';
export { type Retention, readRetention, workspaceIds } from './workspace-retentions.ts';
