import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, readPage, WorkspaceParam } from '../http/index.ts';
import { formatTime, parseJson, type WorkspaceId } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { type ChangeRow, listChanges } from './audit/list-changes.ts';
import { AuditLogPage, AuditLogQuery } from './contract/audit-log.ts';
import { SettingsBody, SettingsDocument } from './contract/settings.ts';
import { KeySet, TokenBody, TokenResponse } from './contract/token.ts';
import { type DataPlanEndpointsDeps, dataPlanEndpoints } from './data-plans/data-plan-routes.ts';
import { feedEndpoints } from './feeds/feed-routes.ts';
import type { Ceilings } from './settings/ceilings.ts';
import { readDocument } from './settings/read-settings.ts';
import { replaceSettings } from './settings/replace-settings.ts';
import { issueToken, type TokenDeps } from './tokens/issue-token.ts';
import { createFailureLimit } from './tokens/limit-failures.ts';
import { claimedClientId } from './tokens/read-client.ts';

export interface AccessEndpointsDeps extends TokenDeps, DataPlanEndpointsDeps {
  readonly store: Store;
  readonly ceilings?: Ceilings;
  /** Listener for each workspace whose settings were replaced, called once they are durable. */
  readonly onSettingsReplaced?: (workspaceId: WorkspaceId) => void;
}

/** Small, because anybody may send a token request, which must cost little to read. */
const TOKEN_BODY_BYTES = 16_384;

const BASE = '/platform/v2/workspaces/:workspaceId';
const WorkspaceParams = Type.Object({ workspaceId: WorkspaceParam });

/** Returns the endpoints of tokens and their keys, and of a workspace's settings, audit log, feeds and data plans. */
export function accessEndpoints(deps: AccessEndpointsDeps): readonly Endpoint[] {
  return [
    createToken(deps),
    getKeys(deps),
    getSettings(deps),
    putSettings(deps),
    getAuditLog(deps),
    ...feedEndpoints(deps),
    ...dataPlanEndpoints(deps),
  ];
}

function createToken(deps: AccessEndpointsDeps): Endpoint {
  const limitFailures = createFailureLimit(deps.clock);
  return defineEndpoint({
    api: 'oauth',
    method: 'POST',
    path: '/oauth/token',
    credential: 'none',
    operationId: 'createToken',
    summary: 'Issue a bearer token',
    description: 'Exchanges client id and secret for a token that is valid for eight hours and cannot be revoked.',
    tag: 'Authentication',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    body: TokenBody,
    // OAuth libraries send a scope, even an empty one; tokens have none
    ignoredFields: ['scope'],
    formEncoded: true,
    bodyLimitBytes: TOKEN_BODY_BYTES,
    responses: { 200: TokenResponse },
    refusals: {
      401: 'The client is unknown or revoked, or the secret is wrong.',
      429: 'Too many attempts from this address failed within a minute; Retry-After gives the seconds to wait.',
    },
    async handler({ body, headers, address }) {
      const clientId = claimedClientId(body, headers.authorization);
      const token = await limitFailures({ address, clientId }, () => issueToken(deps, body, headers.authorization));
      return {
        status: 200,
        headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
        body: { access_token: token.accessToken, expires_in: token.expiresInSeconds, token_type: 'Bearer' },
      };
    },
  });
}

function getKeys({ signingKeys }: AccessEndpointsDeps): Endpoint {
  return defineEndpoint({
    api: 'oauth',
    method: 'GET',
    path: '/.well-known/jwks.json',
    credential: 'none',
    operationId: 'getTokenKeys',
    summary: 'List public keys of tokens',
    description: 'Newest first.',
    tag: 'Authentication',
    params: NO_PARAMETERS,
    query: NO_PARAMETERS,
    responses: { 200: KeySet },
    async handler() {
      return {
        status: 200,
        headers: { 'cache-control': 'public, max-age=60' },
        body: { keys: await signingKeys.published() },
      };
    },
  });
}

function getSettings({ store, ceilings = {} }: AccessEndpointsDeps): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'GET',
    path: `${BASE}/settings`,
    credential: 'platform_read',
    operationId: 'getSettings',
    summary: 'Get the settings of a workspace',
    description: 'Includes settings that have their default value.',
    tag: 'Workspace',
    params: WorkspaceParams,
    query: NO_PARAMETERS,
    responses: { 200: SettingsDocument },
    handler: async ({ caller }) => ({ status: 200, body: await readDocument(store, caller.workspaceId, ceilings) }),
  });
}

function putSettings(deps: AccessEndpointsDeps): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'PUT',
    path: `${BASE}/settings`,
    credential: 'platform_admin',
    operationId: 'replaceSettings',
    summary: 'Replace the settings of a workspace',
    description: 'A setting that is left out is reset to its default.',
    tag: 'Workspace',
    params: WorkspaceParams,
    query: NO_PARAMETERS,
    body: SettingsBody,
    responses: { 200: SettingsDocument },
    async handler({ caller, body }) {
      const replaced = await replaceSettings(deps, caller, body);
      deps.onSettingsReplaced?.(caller.workspaceId);
      return { status: 200, body: replaced };
    },
  });
}

function getAuditLog({ store }: AccessEndpointsDeps): Endpoint {
  return defineEndpoint({
    api: 'platform_v2',
    method: 'GET',
    path: `${BASE}/audit-log`,
    credential: 'platform_read',
    operationId: 'listAuditLog',
    summary: 'List audit events',
    description: 'Changes in the workspace and reads of profiles, newest first.',
    tag: 'Workspace',
    params: WorkspaceParams,
    query: AuditLogQuery,
    responses: { 200: AuditLogPage },
    async handler({ caller, query }) {
      const { actor, action, resource } = query;
      const rows = await listChanges(store, caller.workspaceId, { ...readPage(query), actor, action, resource });
      return { status: 200, body: { items: rows.map(auditEntry) } };
    },
  });
}

function auditEntry({ id, occurredOn, actor, action, resource, detail }: ChangeRow) {
  return { id, occurred_on: formatTime(occurredOn), actor, action, resource, detail: parseJson(detail) };
}
