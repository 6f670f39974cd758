import { isIPv6 } from 'node:net';
import { AppError, type Clock } from '../kernel/index.ts';

/** Failures of one network within a window; the next attempt is refused without a look at it. */
export const FAILURES_ALLOWED = 20;
const WINDOW_MS = 60_000;
const NETWORKS_KEPT = 10_000;

/** Runs an attempt to sign in from this address. Throws RATE_LIMITED instead when too many of them have failed lately. */
export type LimitFailures = <Result>(address: string, attempt: () => Promise<Result>) => Promise<Result>;

interface Window {
  failures: number;
  readonly endsMs: number;
}

/**
 * Slows down whoever guesses secrets, by client address, in the memory of this daemon. An attempt counts from its beginning,
 * so that many at once do not slip through, and no longer when it ends in anything but UNAUTHENTICATED.
 */
export function createFailureLimit(clock: Clock): LimitFailures {
  const windows = new Map<string, Window>();
  return async (address, attempt) => {
    const window = windowOf(windows, networkOf(address), clock.nowMs());
    if (window.failures >= FAILURES_ALLOWED) throw tooMany(window.endsMs - clock.nowMs());
    window.failures += 1;
    try {
      const result = await attempt();
      window.failures -= 1;
      return result;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNAUTHENTICATED') window.failures -= 1;
      throw error;
    }
  };
}

function windowOf(windows: Map<string, Window>, network: string, nowMs: number): Window {
  const current = windows.get(network);
  if (current !== undefined && nowMs < current.endsMs) return current;
  windows.delete(network);
  // the oldest stand first: a flood of addresses costs the memory of the others, not ours
  const [oldest] = windows.keys();
  if (windows.size >= NETWORKS_KEPT && oldest !== undefined) windows.delete(oldest);
  const window = { failures: 0, endsMs: nowMs + WINDOW_MS };
  windows.set(network, window);
  return window;
}

function tooMany(waitMs: number): AppError {
  const message = 'Too many attempts from this address have failed; wait, and look at client id and secret.';
  return new AppError('RATE_LIMITED', message, { retryAfterSeconds: waitMs / 1000 });
}

/** An IPv6 client has a whole /64 to itself; an IPv4 one may be written as IPv6. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.split('::');
  const before = groups(left);
  const after = groups(right ?? '');
  const zeros = right === undefined ? [] : Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

function groups(part: string): readonly number[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
}
