// Ways to sign in. Tokens of service principals are replaced before they end, also in the middle of a session.
import { systemClock } from '../../src/kernel/index.ts';
import type { Door } from './config.ts';
import type { Requester } from './guarded-request.ts';
import { fetchToken, type Token } from './principal-token.ts';
import { keep } from './waiting.ts';

/** Returns the SDK's options for the credentials. */
export function signInOptions({ host, credentials }: Door, requester: Requester) {
  if ('token' in credentials) return { token: credentials.token };
  const token = keep<Token>(() => fetchToken(requester, host, credentials));
  // calls at the same time wait for one token
  const authenticate = async () => {
    if (isDue(await token.get())) token.drop();
    return { Authorization: `Bearer ${(await token.get()).text}` };
  };
  return { authType: 'custom' as const, provider: { authenticate } };
}

/** Time before its end at which a token is replaced. A request that takes it to its last second may arrive too late. */
const RENEWED_BEFORE_MS = 60_000;

function isDue({ endsAtMs }: Token): boolean {
  return endsAtMs - RENEWED_BEFORE_MS <= systemClock.nowMs();
}
