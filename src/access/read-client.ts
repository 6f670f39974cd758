import { AppError, refuse, Secret } from '../kernel/index.ts';
import type { TokenBody } from './contract/token.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/**
 * Client id and secret, from the body or from HTTP Basic, but not from both (RFC 6749, 2.3). An id in the body beside
 * Basic is fine when it is the same. Throws VALIDATION_FAILED (`invalid_request`) or UNAUTHENTICATED (`invalid_client`).
 */
export function readClient(body: TokenBody, authorization: string | undefined): ClientCredentials {
  const basic = readBasic(authorization);
  if (basic === undefined) return fromBody(body);
  const contradicts = body.client_id !== undefined && body.client_id !== basic.clientId;
  if (body.client_secret === undefined && !contradicts) return basic;
  throw refuse([{ path: '', message: 'Send client_id and client_secret in the body or as HTTP Basic, not both.' }]);
}

function fromBody({ client_id: clientId, client_secret: clientSecret }: TokenBody): ClientCredentials {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret: new Secret(clientSecret) };
  throw refuse([{ path: '', message: 'client_id and client_secret are missing: in the body, or as HTTP Basic.' }]);
}

function readBasic(authorization: string | undefined): ClientCredentials | undefined {
  if (authorization === undefined) return undefined;
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? [];
  const [, clientId, clientSecret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret: new Secret(clientSecret) };
  throw new AppError('UNAUTHENTICATED', 'The Authorization header is not HTTP Basic with client id and secret.');
}
