interface Chunks<Chunk> {
  /** Returns the next chunk, or undefined after the last. */
  next(): Promise<Chunk | undefined>;
  /** Frees what the reading holds. */
  free(): Promise<void>;
}

/**
 * Returns chunks that free their source once: after the last, or when the loop is left. A generator alone would free nothing
 * where no chunk was requested.
 */
export function freedChunks<Chunk>({ next, free }: Chunks<Chunk>): AsyncIterable<Chunk, undefined> {
  let freed: Promise<void> | undefined;
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    freed ??= free();
    await freed;
    return { done: true, value: undefined };
  };
  const iterator: AsyncIterator<Chunk, undefined> = {
    async next() {
      const chunk = await next();
      return chunk === undefined ? await end() : { done: false, value: chunk };
    },
    return: end,
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
