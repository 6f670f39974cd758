import { AppError, type Clock, sha256 } from '../../kernel/index.ts';
import { createFailureWindows } from './failure-windows.ts';
import { networkOf } from './network-of.ts';

/** Failures of one address within a minute, whatever clients it names. */
export const ADDRESS_FAILURES_ALLOWED = 200;

/** Who signs in, as far as it says: nothing of it is proven. */
export interface Attempt {
  readonly address: string;
  readonly clientId: string;
}

/** Runs an attempt to sign in. Throws RATE_LIMITED in place of UNAUTHENTICATED when too many have failed lately. */
export type LimitFailures = <Result>(who: Attempt, attempt: () => Promise<Result>) => Promise<Result>;

/**
 * Tells those who guess secrets to wait, by address and client id, and by address alone. The right secret is never refused:
 * it has 256 random bits, which nobody guesses, while a refusal would let whoever shares an address, as all do behind a
 * proxy that is not trusted, lock the others out.
 */
export function createFailureLimit(clock: Clock): LimitFailures {
  const windows = createFailureWindows(clock, 'client id and secret');
  return async ({ address, clientId }, attempt) => {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') {
        const network = networkOf(address);
        // the address first: beyond its bound no further client id is kept, and so none pushes out what others failed
        windows.count(network, ADDRESS_FAILURES_ALLOWED);
        windows.count(`${network} ${sha256(clientId).toString('base64')}`);
      }
      throw error;
    }
  };
}
