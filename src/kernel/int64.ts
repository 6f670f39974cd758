/** The ends of a signed 64-bit integer: MPIDs, ids of the store, whole numbers of a batch (D-003). */
const INT64_LEAST = -(2n ** 63n);
export const INT64_MOST = 2n ** 63n - 1n;

export function fitsInt64(value: bigint): boolean {
  return value >= INT64_LEAST && value <= INT64_MOST;
}

/** Tells whether a value is a 64-bit integer as the lossless parser gives it: a number while that is exact, beyond it a bigint. */
export function isInt64(value: unknown): boolean {
  if (typeof value === 'bigint') return fitsInt64(value);
  return typeof value === 'number' && Number.isSafeInteger(value);
}
