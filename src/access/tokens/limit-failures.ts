import { AppError, type Clock, sha256 } from '../../kernel/index.ts';
import { createFailureWindows } from './failure-windows.ts';
import { networkOf } from './network-of.ts';

/** Failures of one address within a minute, whatever clients it names. */
export const ADDRESS_FAILURES_ALLOWED = 200;

/** Sender of an attempt as it claims to be; nothing of it is proven. */
export interface Attempt {
  readonly address: string;
  readonly clientId: string;
}

/** A runner of attempts to sign in. Throws RATE_LIMITED in place of UNAUTHENTICATED where too many have failed lately. */
export type LimitFailures = <Result>(who: Attempt, attempt: () => Promise<Result>) => Promise<Result>;

/**
 * Throttles those who guess secrets, by address and client id, and by address alone.
 * The right secret is never refused. Nobody guesses its 256 random bits, while a refusal would let a caller lock out all others
 * at the same address, such as that of an untrusted proxy.
 */
export function createFailureLimit(clock: Clock): LimitFailures {
  const windows = createFailureWindows(clock, 'client id and secret');
  return async ({ address, clientId }, attempt) => {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') {
        const network = networkOf(address);
        // the address first: beyond its bound no further client id is kept, so none displaces the failures of others
        windows.count(network, ADDRESS_FAILURES_ALLOWED);
        windows.count(`${network} ${sha256(clientId).toString('base64')}`);
      }
      throw error;
    }
  };
}
