// Ways to sign in. Tokens of service principals are replaced before they end, also in the middle of a session.
import { systemClock } from '../../src/kernel/index.ts';
import type { Credentials, EntraPrincipal } from './config.ts';
import { fetchEntraToken, type Token } from './entra.ts';
import type { Requester } from './guarded-request.ts';
import type { TokenStore } from './sdk.ts';
import { keep } from './waiting.ts';

/**
 * Returns the SDK's options for the credentials. The SDK itself gets the tokens of Databricks' own service principals, from the
 * workspace, on every cloud.
 */
export function signInOptions(credentials: Credentials, requester: Requester) {
  if ('token' in credentials) return { token: credentials.token };
  if ('tenantId' in credentials) {
    return { authType: 'custom' as const, provider: { authenticate: entraSignIn(credentials, requester) } };
  }
  const { clientId, clientSecret } = credentials;
  return {
    authType: 'databricks-oauth' as const,
    oauthClientId: clientId,
    oauthClientSecret: clientSecret,
    useDatabricksOAuthInAzure: true,
    persistence: tokenKeeper(),
  };
}

/** Time before its end at which a token is replaced. A request that takes it to its last second may arrive too late. */
const RENEWED_BEFORE_MS = 60_000;

function isDue(endsAtMs: number): boolean {
  return endsAtMs - RENEWED_BEFORE_MS <= systemClock.nowMs();
}

/** Returns a function that gives the headers of a call. Calls at the same time wait for one token. */
function entraSignIn(principal: EntraPrincipal, requester: Requester) {
  const token = keep<Token>(() => fetchEntraToken(requester, principal));
  return async () => {
    if (isDue((await token.get()).endsAtMs)) token.drop();
    return { Authorization: `Bearer ${(await token.get()).text}` };
  };
}

/** Keeps the token of a session. The SDK reads it before each call, and gets a new token where it finds none. */
function tokenKeeper(): TokenStore {
  let kept: Awaited<ReturnType<TokenStore['read']>>;
  return {
    // the token says in seconds when it ends
    read: async () => (kept === undefined || isDue(kept.expirationTime * 1000) ? undefined : kept),
    async persist(_host, token) {
      kept = token;
    },
  };
}
