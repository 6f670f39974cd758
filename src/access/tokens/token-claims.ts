import type { JWTPayload } from 'jose';

/** 002, Limits: access token lifetime. */
export const TOKEN_LIFETIME_SECONDS = 28_800;

export interface TokenOrder {
  readonly clientId: string;
  readonly baseUrl: string;
  readonly nowMs: number;
  /** Unlike any other token's. */
  readonly tokenId: string;
}

/**
 * What a token says: who and for how long. Role and workspaces are not in it; the bearer check looks them up, because a
 * token cannot be taken back (002) and its rights must still be narrowed.
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
