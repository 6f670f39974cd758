import type { JWTPayload } from 'jose';

/** Lifetime of an access token, as the specification sets it. */
export const TOKEN_LIFETIME_SECONDS = 28_800;

export interface TokenOrder {
  readonly clientId: string;
  readonly baseUrl: string;
  readonly nowMs: number;
  /** Unlike any other token's. */
  readonly tokenId: string;
}

/**
 * Returns the claims of a token: whom it is for and how long it is valid. Role and workspaces are not in it. The bearer
 * check looks them up, because a token cannot be revoked (D-020) and its rights must still be narrowed.
 */
export function tokenClaims({ clientId, baseUrl, nowMs, tokenId }: TokenOrder): JWTPayload {
  const issuedAt = Math.floor(nowMs / 1000);
  return {
    iss: baseUrl,
    aud: baseUrl,
    sub: clientId,
    iat: issuedAt,
    exp: issuedAt + TOKEN_LIFETIME_SECONDS,
    jti: tokenId,
  };
}
