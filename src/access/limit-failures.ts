import { AppError, type Clock } from '../kernel/index.ts';
import { createFailureWindows } from './failure-windows.ts';
import { networkOf } from './network-of.ts';

/** Runs an attempt to sign in from this address. Throws RATE_LIMITED instead when too many of them have failed lately. */
export type LimitFailures = <Result>(address: string, attempt: () => Promise<Result>) => Promise<Result>;

/**
 * Slows down whoever guesses secrets, by client address. An attempt counts from its beginning, so that many at once do not
 * slip through, and no longer when it ends in anything but UNAUTHENTICATED.
 */
export function createFailureLimit(clock: Clock): LimitFailures {
  const windows = createFailureWindows(clock, 'client id and secret');
  return async (address, attempt) => {
    const network = networkOf(address);
    windows.check(network);
    const failure = windows.count(network);
    try {
      const result = await attempt();
      failure.takeBack();
      return result;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNAUTHENTICATED') failure.takeBack();
      throw error;
    }
  };
}
