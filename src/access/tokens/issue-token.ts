import { AppError, type Clock, refuse } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import type { TokenBody } from '../contract/token.ts';
import { generateTokenId } from '../credentials/generate-credential.ts';
import { checkClient } from './check-client.ts';
import { readClient } from './read-client.ts';
import type { SigningKeys } from './signing-keys.ts';
import { TOKEN_LIFETIME_SECONDS, tokenClaims } from './token-claims.ts';

export interface TokenDeps {
  readonly store: Sql;
  readonly clock: Clock;
  readonly signingKeys: SigningKeys;
  /** Address of the API: issuer and audience of its tokens. */
  readonly baseUrl: () => string;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInSeconds: number;
}

/**
 * Exchanges client credentials for a signed token. Throws NOT_SUPPORTED, UNAUTHENTICATED or VALIDATION_FAILED, which
 * http maps to OAuth's unsupported_grant_type, invalid_client and invalid_request.
 */
export async function issueToken(
  deps: TokenDeps,
  body: TokenBody,
  authorization: string | undefined,
): Promise<IssuedToken> {
  if (body.grant_type !== 'client_credentials') {
    throw new AppError('NOT_SUPPORTED', 'grant_type must be client_credentials.');
  }
  const client = readClient(body, authorization);
  if (!(await checkClient(deps, client))) {
    throw new AppError('UNAUTHENTICATED', 'The client is unknown or revoked, or the secret is wrong.');
  }
  const baseUrl = deps.baseUrl();
  // a trailing slash is the same address; anything else would give tokens that no one accepts
  if (body.audience.replace(/\/$/, '') !== baseUrl) {
    throw refuse([{ path: 'audience', message: `must be the address of this API, ${baseUrl}.` }]);
  }
  const { clientId } = client;
  const claims = tokenClaims({ clientId, baseUrl, nowMs: deps.clock.nowMs(), tokenId: generateTokenId() });
  return { accessToken: await deps.signingKeys.sign(claims), expiresInSeconds: TOKEN_LIFETIME_SECONDS };
}
