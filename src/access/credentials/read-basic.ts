import { AppError, Secret } from '../../kernel/index.ts';

export interface BasicCredentials {
  readonly user: string;
  readonly password: Secret;
}

const BASIC = /^Basic +([A-Za-z0-9+/=_-]+) *$/i;

/** Returns user and password of HTTP Basic, or undefined without the header. Throws UNAUTHENTICATED for any other header. */
export function readBasic(authorization: string | undefined, meaning: string): BasicCredentials | undefined {
  if (authorization === undefined) return undefined;
  const text = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon >= 0) return { user: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) };
  throw new AppError('UNAUTHENTICATED', `The Authorization header is not HTTP Basic with ${meaning}.`);
}
