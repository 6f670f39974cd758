import { type AppError, type BackoffPolicy, backoffDelayMs, type Random } from '../../kernel/index.ts';

const BACKOFF: BackoffPolicy = { baseMs: 10_000, maxMs: 15 * 60_000 };
/** No run waits longer for its next attempt, whatever a warehouse asks for. */
export const LONGEST_RETRY_MS = 2 * 3_600_000;

/** How long a run waits after this attempt: by its backoff, or as long as the warehouse asks for if that is longer. */
export function retryDelayMs(attempt: number, { retryAfterSeconds = 0 }: AppError, random: Random): number {
  const delayMs = Math.max(backoffDelayMs(attempt, BACKOFF, random), retryAfterSeconds * 1000);
  return Math.min(delayMs, LONGEST_RETRY_MS);
}
