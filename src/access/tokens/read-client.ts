import { refuse, Secret } from '../../kernel/index.ts';
import type { TokenBody } from '../contract/token.ts';
import { readBasic } from '../credentials/read-basic.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/**
 * Returns client id and secret, from the body or from HTTP Basic, but not from both (RFC 6749, 2.3). Beside Basic, the body may
 * repeat the same id. Throws VALIDATION_FAILED (`invalid_request`) or UNAUTHENTICATED (`invalid_client`).
 */
export function readClient(body: TokenBody, authorization: string | undefined): ClientCredentials {
  const sent = readBasic(authorization, 'client id and secret');
  if (sent === undefined) return fromBody(body);
  const basic = { clientId: sent.user, clientSecret: sent.password };
  const contradicts = body.client_id !== undefined && body.client_id !== basic.clientId;
  if (body.client_secret === undefined && !contradicts) return basic;
  throw refuse([{ path: '', message: 'Send client_id and client_secret in the body or as HTTP Basic, not both.' }]);
}

/** Returns the client id that a request names, before any check. */
export function claimedClientId(body: TokenBody, authorization: string | undefined): string {
  return readBasic(authorization, 'client id and secret')?.user ?? body.client_id ?? '';
}

function fromBody({ client_id: clientId, client_secret: clientSecret }: TokenBody): ClientCredentials {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret: new Secret(clientSecret) };
  throw refuse([{ path: '', message: 'client_id and client_secret are missing: in the body, or as HTTP Basic.' }]);
}
