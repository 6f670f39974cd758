/** A limiter of concurrent work: what exceeds the limit waits in order of arrival. */
export type TakeTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

export function createTurns(atOnce: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve));
  return async (work) => {
    // a turn that ends is handed on, so that no newcomer overtakes
    if (free > 0) free--;
    else await wait();
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
