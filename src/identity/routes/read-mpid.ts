import { fitsInt64, type Issue, quoteValue } from '../../kernel/index.ts';

const DIGITS = /^-?\d{1,19}$/;

/** Checks an MPID given as a number, as its digits or not at all. It is not used, but a wrong one is reported. */
export function checkPreviousMpid(value: unknown, issues: Issue[]): void {
  if (value === null || value === undefined || typeof value === 'bigint') return;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return;
  if (typeof value === 'string' && DIGITS.test(value) && fitsInt64(BigInt(value))) return;
  const message = `must be an MPID, a whole number of 64 bits or its digits as text, or null, is ${quoteValue(value)}`;
  issues.push({ path: 'previous_mpid', message });
}
