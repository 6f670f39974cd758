import { type AppError, type BackoffPolicy, backoffDelayMs, type Random } from '../../kernel/index.ts';

const BACKOFF: BackoffPolicy = { baseMs: 10_000, maxMs: 15 * 60_000 };
/** Longest delay before an attempt, whatever a warehouse asks for. */
export const LONGEST_RETRY_MS = 2 * 3_600_000;

/** Returns the delay after this attempt: its backoff, or the warehouse's own request if that is longer. */
export function retryDelayMs(attempt: number, { retryAfterSeconds = 0 }: AppError, random: Random): number {
  const delayMs = Math.max(backoffDelayMs(attempt, BACKOFF, random), retryAfterSeconds * 1000);
  return Math.min(delayMs, LONGEST_RETRY_MS);
}
