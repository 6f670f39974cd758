// Access rights: organisations, accounts, workspaces, their credentials, the tokens these get, the bearer check, settings
// and audit log of a workspace. This room knows no person, no pipeline and no warehouse; others ask it who is calling,
// read a workspace's settings, and hand it what they changed.
// Terminology: a *platform credential* belongs to an account and gets bearer tokens for the platform API; an *input
// credential* belongs to a workspace and signs data that comes in; a *grant* is what a credential may do in one workspace.
export type { AccessDeps, Actor } from './access-deps.ts';
export { changesOfResource } from './audit/changes-of-resource.ts';
export { eraseFromChanges, eraseLooks, readChanges } from './audit/erase-changes.ts';
export { expireChanges } from './audit/expire-changes.ts';
export { recordChange, recordChanges } from './audit/record-change.ts';
export { createAllowsOrigin } from './credentials/allows-origin.ts';
export { changeInputUses } from './credentials/change-input-uses.ts';
export { changePlatformCredential } from './credentials/change-platform-credential.ts';
export { createInputCredential } from './credentials/create-input-credential.ts';
export { createPlatformCredential } from './credentials/create-platform-credential.ts';
export { generateSecret } from './credentials/generate-credential.ts';
export type { InputUse } from './credentials/input-uses.ts';
export { listInputCredentials } from './credentials/list-input-credentials.ts';
export { listPlatformCredentials } from './credentials/list-platform-credentials.ts';
export type { Role } from './credentials/platform-credential.ts';
export { revokeInputCredential } from './credentials/revoke-input-credential.ts';
export { revokePlatformCredential } from './credentials/revoke-platform-credential.ts';
export { rotateInputCredential } from './credentials/rotate-input-credential.ts';
export { rotatePlatformCredential } from './credentials/rotate-platform-credential.ts';
export { ROTATION_GRACE_MS } from './credentials/rotation-grace.ts';
export { type DataPlanUses, findDataPlan, type RegisteredPlan } from './data-plans/data-plan.ts';
export { findFeed, findFeedByKey, isWarehouseModule, listFeeds } from './feeds/feed.ts';
export { switchFeed } from './feeds/switch-feed.ts';
export { createAccount } from './organisations/create-account.ts';
export { createOrganisation } from './organisations/create-organisation.ts';
export { createWorkspace } from './organisations/create-workspace.ts';
export { type Initialised, initialise } from './organisations/initialise.ts';
export { listAccounts } from './organisations/list-accounts.ts';
export { listOrganisations } from './organisations/list-organisations.ts';
export { listWorkspaces } from './organisations/list-workspaces.ts';
export { provisionAccount } from './organisations/provision-account.ts';
export { type AccessEndpointsDeps, accessEndpoints } from './routes.ts';
export { accessSecrets } from './sealed-tables.ts';
export { type Ceilings, requireKnownLimits } from './settings/ceilings.ts';
export { createSettingsReader, readSettings, type SettingsReader } from './settings/read-settings.ts';
export type { WorkspaceSettings } from './settings/settings.ts';
export { type Retention, readRetention, workspaceIds } from './settings/workspace-retentions.ts';
export { createAuthenticate } from './tokens/authenticate.ts';
export { rotateSigningKey } from './tokens/rotate-signing-key.ts';
export { ensureSigningKey } from './tokens/signing-key.ts';
export { createSigningKeys } from './tokens/signing-keys.ts';
