/** No clock was set before this; and nothing that formats a time has to know an earlier year. */
const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');

/**
 * When something a batch or a request says was set, in ms since 1970: the time it gives, not later than its receipt, or its receipt where
 * it gives none. A clock that runs ahead would otherwise win over every later batch (rulings §3).
 */
export function settingMs(givenMs: number | bigint | null | undefined, receivedMs: number): number {
  if (givenMs === null || givenMs === undefined || givenMs > receivedMs) return receivedMs;
  return givenMs < FIRST_MS ? FIRST_MS : Number(givenMs);
}
