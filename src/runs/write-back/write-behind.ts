/** Background work, one piece after the other. */
export interface WriteBehind {
  /** Resolves when the previous piece is written and this one has begun. Throws the error of the previous piece. */
  next(): Promise<void>;
  /** Resolves when the last piece is written. Throws its error. */
  end(): Promise<void>;
  /** Resolves when no work is active any more, whatever its outcome. */
  settled(): Promise<void>;
}

/**
 * Runs `write` in the background, one call at a time: a piece is written into the table while the rows of the next are read and
 * resolved.
 * `write` must snapshot its input when called.
 */
export function writeBehind(write: () => Promise<void>): WriteBehind {
  let underWay: Promise<void> = Promise.resolve();
  const next = async () => {
    await underWay;
    underWay = write();
    // the next call throws the error
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
