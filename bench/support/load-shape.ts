// Orders to a load generator and its answers: JSON on its command line and its output.

export interface LoadOrder {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly kind: 'batch' | 'bulk' | 'identify';
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, over all connections; absent: each connection sends as soon as it was answered. */
  readonly perSecond?: number;
  /** People that the requests speak of, at random. */
  readonly people: number;
  /** Makes the requests of one load differ from those of another. */
  readonly salt: string;
}

/** Batches of one `bulk` request. */
export const BULK_BATCHES = 100;

export interface LoadResult {
  /** Successful requests; of `bulk`, their batches. */
  readonly answered: number;
  /** Answers that were no success, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** From the time a request was due. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
}
