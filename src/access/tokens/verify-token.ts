import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import { AppError, type Clock } from '../../kernel/index.ts';
import { SIGNING_ALGORITHM } from './signing-key.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Tolerance for the clocks of daemons, which differ. */
const LEEWAY_SECONDS = 5;

export interface TokenCheck {
  readonly signingKeys: SigningKeys;
  readonly clock: Clock;
  /** Issuer and audience of our tokens. */
  readonly baseUrl: () => string;
}

/** Returns the client id of a valid token of ours. Throws UNAUTHENTICATED with advice and no other detail. */
export async function verifyToken({ signingKeys, clock, baseUrl }: TokenCheck, token: string): Promise<string> {
  const keyOf = async ({ kid }: JWTHeaderParameters) => {
    const key = kid === undefined ? undefined : await signingKeys.find(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [SIGNING_ALGORITHM],
      issuer: baseUrl(),
      audience: baseUrl(),
      requiredClaims: ['sub', 'iat', 'exp'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(clock.nowMs()),
    });
    return payload.sub ?? '';
  } catch (error) {
    throw refusal(error);
  }
}

function refusal(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) {
    return new AppError('UNAUTHENTICATED', 'The bearer token has expired; get a new one with POST /oauth/token.');
  }
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud') {
    return new AppError(
      'UNAUTHENTICATED',
      'The audience of the bearer token is not this API; get a token with the address of this API as audience.',
    );
  }
  if (!(error instanceof errors.JOSEError)) return error;
  return new AppError(
    'UNAUTHENTICATED',
    'The bearer token was not issued by this API, or was changed; get a new one with POST /oauth/token.',
    { cause: error },
  );
}
