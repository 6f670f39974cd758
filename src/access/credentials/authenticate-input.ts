import { timingSafeEqual } from 'node:crypto';
import { type Caller, createRateLimiter } from '../../http/index.ts';
import { AppError, sha256 } from '../../kernel/index.ts';
import type { AccessDeps } from '../access-deps.ts';
import { createFailureWindows } from '../tokens/failure-windows.ts';
import { networkOf } from '../tokens/network-of.ts';
import { checkSignedDate, signedBy } from './check-signature.ts';
import { createFindInput, type KnownInput, type LiveSecret } from './find-input.ts';
import { generateSecret } from './generate-credential.ts';
import { type InputProof, type InputRequest, readInputProof } from './input-proof.ts';

export interface AuthenticateInputDeps extends AccessDeps {
  /** Milliseconds by which the Date of a signed request may differ from now. */
  readonly signatureWindowMs: number;
  /** Requests with a browser's key alone that one address may send to this daemon in a second. */
  readonly keyOnlyPerSecond: number;
}

export type AuthenticateInput = (request: InputRequest) => Promise<Caller>;

/**
 * Authenticates a sender of data by the key of an input or feed: with its secret, with a signature, or alone where the key
 * allows that (D-048, D-049). Answers 401 without a proof, and 401, at the events API 403, for a wrong one. Answers 403 for a
 * use that the key does not have and for an inactive feed. A caller that fails too often under one key, or with unknown keys,
 * gets 429. The right proof is never refused, so nobody can lock out others who share an address.
 */
export function createAuthenticateInput(deps: AuthenticateInputDeps): AuthenticateInput {
  const findInput = createFindInput(deps);
  const failures = createFailureWindows(deps.clock, 'key and secret');
  const nobody: readonly LiveSecret[] = [secretOfNobody()];
  const limitPublic = createPublicLimit(deps);
  return async (request) => {
    const proof = readInputProof(request);
    limitPublic(request, proof);
    const input = await findInput(proof.key);
    const proven = await prove(deps, { proof, request, input, secrets: input?.secrets ?? nobody });
    if (input === undefined || !proven) {
      failures.count(failureName(request, input?.key));
      throw wrong(request, proof);
    }
    checkUse(input, proof);
    return callerOf(input, proof);
  };
}

function failureName({ address }: InputRequest, knownKey: string | undefined): string {
  return knownKey === undefined ? networkOf(address) : `${networkOf(address)} ${knownKey}`;
}

/**
 * Limits public keys by address (D-049).
 * A write key is exempt: servers send it, where many users share one address, and the workspace's own rate limits it.
 */
function createPublicLimit({ clock, keyOnlyPerSecond }: AuthenticateInputDeps) {
  const limiter = createRateLimiter({ clock });
  return ({ address }: InputRequest, { means, use }: InputProof): void => {
    if (means !== 'key_only' || use === 'write_key') return;
    const { isAllowed, retryAfterSeconds } = limiter.take(networkOf(address), 1, keyOnlyPerSecond);
    if (isAllowed) return;
    const message = `This address sends more than ${keyOnlyPerSecond} requests per second with a key alone. Wait as long as Retry-After says.`;
    throw new AppError('RATE_LIMITED', message, { retryAfterSeconds });
  };
}

/** Creates a secret to compare with for an unknown key, so that an unknown key costs the same work as a wrong secret. */
function secretOfNobody(): LiveSecret {
  const secret = generateSecret();
  return { secret, sha256: sha256(secret.reveal()), untilMs: Number.NEGATIVE_INFINITY };
}

interface Attempt {
  readonly proof: InputProof;
  readonly request: InputRequest;
  readonly input: KnownInput | undefined;
  readonly secrets: readonly LiveSecret[];
}

async function prove(
  { clock, signatureWindowMs }: AuthenticateInputDeps,
  { proof, request, input, secrets }: Attempt,
): Promise<boolean> {
  switch (proof.means) {
    case 'key_only':
      return true;
    case 'basic': {
      const given = sha256(proof.secret.reveal());
      return isLive(
        secrets.filter((each) => timingSafeEqual(given, each.sha256)),
        clock.nowMs(),
      );
    }
    case 'signature': {
      checkSignedDate(proof.date, clock.nowMs(), signatureWindowMs);
      const { method, url } = request;
      const body = await request.body(input?.workspaceId);
      return isLive(signedBy(secrets, proof.signature, { method, url, date: proof.date, body }), clock.nowMs());
    }
  }
}

const isLive = (secrets: readonly LiveSecret[], nowMs: number): boolean =>
  secrets.some(({ untilMs }) => nowMs < untilMs);

function wrong({ rule }: InputRequest, { means }: InputProof): AppError {
  const message = `The key is unknown or revoked${WRONG_PROOFS[means]}.`;
  const isEvents = rule === 'input_events' || rule === 'input_web_events';
  return new AppError(isEvents ? 'FORBIDDEN' : 'UNAUTHENTICATED', message);
}

const WRONG_PROOFS: Readonly<Record<InputProof['means'], string>> = {
  basic: ', or the secret is wrong',
  signature: ', or the signature does not match the method, Date header, path and body',
  key_only: '',
};

function checkUse({ key, uses, feed }: KnownInput, { use }: InputProof): void {
  if (feed?.isActive === false)
    throw new AppError(
      'FORBIDDEN',
      'The feed of this key is not active. Activate the feed with `penstock feed activate`.',
    );
  if (uses.includes(use)) return;
  const allowed = [...uses, use].join(',');
  const advice = `\`penstock credentials uses ${key} --uses ${allowed}\` allows it`;
  throw new AppError('FORBIDDEN', `This key is not for the use "${use}"; ${advice}.`);
}

function callerOf({ key, workspaceId, feed }: KnownInput, { means }: InputProof): Caller {
  const input =
    feed === undefined
      ? ({ key, kind: 'input', means } as const)
      : ({ key, kind: 'feed', feedId: feed.id, means } as const);
  return { actor: key, workspaceId, input };
}
