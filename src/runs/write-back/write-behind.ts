/** Work that goes on behind its caller, one piece after the other. */
export interface WriteBehind {
  /** Resolves when the piece before this one is written and this one has begun. Throws what that one threw. */
  next(): Promise<void>;
  /** Resolves when the last piece is written. Throws what it threw. */
  end(): Promise<void>;
  /** Resolves when nothing is under way any more, whatever became of it. */
  settled(): Promise<void>;
}

/**
 * One piece is written into the table while the rows of the next are read and resolved, so that the warehouse works while we
 * do. `write` takes what is there when it is called.
 */
export function writeBehind(write: () => Promise<void>): WriteBehind {
  let underWay: Promise<void> = Promise.resolve();
  const next = async () => {
    await underWay;
    underWay = write();
    // it is met by the next call
    underWay.catch(() => undefined);
  };
  return {
    next,
    async end() {
      await next();
      await underWay;
    },
    settled: () => underWay.catch(() => undefined),
  };
}
