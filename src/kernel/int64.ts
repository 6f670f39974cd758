/** The ends of a signed 64-bit integer: MPIDs, ids of the store, whole numbers of a batch (D-003). */
const INT64_LEAST = -(2n ** 63n);
export const INT64_MOST = 2n ** 63n - 1n;

export function fitsInt64(value: bigint): boolean {
  return value >= INT64_LEAST && value <= INT64_MOST;
}
