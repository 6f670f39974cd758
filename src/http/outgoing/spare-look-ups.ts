import { systemClock } from '../../kernel/index.ts';
import type { Resolve } from './locate-url.ts';

export interface LookUpLimits {
  readonly atOnce: number;
  /** Number of hosts that may wait for a turn; a further one is not looked up. */
  readonly waiting: number;
  /** Longest wait of a host. After that it is not looked up: nobody waits for the result any more. */
  readonly patienceMs: number;
}

/**
 * Returns `resolve` limited to a few hosts at a time; requests for a host whose lookup is under way share its result.
 * The system looks names up on the few threads that files and compression need, too. Throws for a host that gets no turn, as
 * for an unknown host.
 */
export function spareLookUps(resolve: Resolve, { atOnce, waiting, patienceMs }: LookUpLimits): Resolve {
  const underWay = new Map<string, ReturnType<Resolve>>();
  const queue: (() => void)[] = [];
  let running = 0;

  async function takeTurn(): Promise<void> {
    if (running < atOnce) {
      running++;
      return;
    }
    if (queue.length >= waiting) throw new Error('Too many host names are waiting to be looked up.');
    // a lookup that ends hands its place to the first that waits
    await new Promise<void>((start) => queue.push(start));
  }

  function endTurn(): void {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  }

  async function lookUp(host: string): Promise<readonly string[]> {
    const sinceMs = systemClock.nowMs();
    const isWaiting = running >= atOnce;
    await takeTurn();
    try {
      if (isWaiting && systemClock.nowMs() - sinceMs >= patienceMs)
        throw new Error('The lookup of the host name did not start in time.');
      return await resolve(host);
    } finally {
      endTurn();
    }
  }

  return (host) => {
    const shared = underWay.get(host) ?? lookUp(host).finally(() => underWay.delete(host));
    underWay.set(host, shared);
    return shared;
  };
}
