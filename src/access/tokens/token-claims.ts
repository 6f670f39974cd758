import type { JWTPayload } from 'jose';

/** Lifetime of an access token, as the specification sets it. */
export const TOKEN_LIFETIME_SECONDS = 28_800;

export interface TokenOrder {
  readonly clientId: string;
  readonly baseUrl: string;
  readonly nowMs: number;
  /** Id that no other token has. */
  readonly tokenId: string;
}

/**
 * Returns the claims of a token: its client and its lifetime. Role and workspaces are not among them. The bearer check looks
 * them up, because a token cannot be revoked (D-020) and its rights must still be narrowed.
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
