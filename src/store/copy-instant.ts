const EPOCH_MS = Date.UTC(2000, 0, 1);

/** Converts ms since 1970 into a timestamptz of binary COPY, for a column of type `int8`: microseconds since 2000. */
export function copyInstant(ms: number): number {
  return (ms - EPOCH_MS) * 1000;
}
