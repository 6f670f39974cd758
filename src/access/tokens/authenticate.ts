import type { Authenticate, CredentialRequest } from '../../http/index.ts';
import { AppError, INT64_MOST, type WorkspaceId, workspaceId } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { type AuthenticateInputDeps, createAuthenticateInput } from '../credentials/authenticate-input.ts';
import { createFindGrant, type Grant } from '../credentials/find-grant.ts';
import type { InputRequest } from '../credentials/input-proof.ts';
import { type TokenCheck, verifyToken } from './verify-token.ts';

export interface AuthenticateDeps extends TokenCheck, AuthenticateInputDeps {
  readonly store: Store;
}

const DECIMAL = /^[1-9]\d{0,18}$/;

/** Identifies the caller by the credentials that the endpoint asks for. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const ofPlatform = createAuthenticatePlatform(deps);
  const ofInput = createAuthenticateInput(deps);
  return (request) => (isInput(request) ? ofInput(request) : ofPlatform(request));
}

function isInput(request: CredentialRequest): request is InputRequest {
  return request.rule !== 'platform_read' && request.rule !== 'platform_admin';
}

/**
 * Checks the bearer token of a platform endpoint: 401 without a valid token, 404 for a workspace that the credential
 * does not reach (D-014), 403 when its role or its account does not allow the call.
 */
function createAuthenticatePlatform(deps: AuthenticateDeps): Authenticate {
  const findGrant = createFindGrant(deps);
  return async (request) => {
    const clientId = await verifyToken(deps, bearerToken(request.authorization));
    const id = readWorkspaceId(request.workspace);
    const grant = id === undefined ? undefined : await findGrant(clientId, id);
    if (id === undefined || grant === undefined) {
      throw new AppError(
        'NOT_FOUND',
        'This credential has no access to such a workspace; check its id with `penstock workspace list`.',
      );
    }
    checkRights(request, grant);
    return { actor: clientId, workspaceId: id };
  };
}

function bearerToken(authorization: string | undefined): string {
  const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization ?? '') ?? [];
  if (token !== undefined) return token;
  throw new AppError(
    'UNAUTHENTICATED',
    'Send the header `Authorization: Bearer <token>`; get a token with POST /oauth/token.',
  );
}

function readWorkspaceId(text: string): WorkspaceId | undefined {
  if (!DECIMAL.test(text)) return undefined;
  const id = BigInt(text);
  return id <= INT64_MOST ? workspaceId(id) : undefined;
}

function checkRights({ rule, requires }: CredentialRequest, grant: Grant): void {
  if (rule === 'platform_admin' && grant.role !== 'admin') {
    throw new AppError('FORBIDDEN', 'This credential can only read. Use one with the role admin.');
  }
  if (requires === 'warehouse_sync' && !grant.warehouseSync) {
    throw new AppError('FORBIDDEN', 'The account of this workspace is not provisioned for warehouse sync.');
  }
}
