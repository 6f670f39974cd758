const EPOCH_MS = Date.UTC(2000, 0, 1);

/** How a timestamptz travels in binary COPY, in a column of type `int8`: microseconds since 2000. `ms` are those since 1970. */
export function copyInstant(ms: number): number {
  return (ms - EPOCH_MS) * 1000;
}
