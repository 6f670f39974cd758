import { systemClock } from '../../kernel/index.ts';
import type { Resolve } from './locate-url.ts';

export interface LookUpLimits {
  readonly atOnce: number;
  /** Hosts that wait for their turn; one more is not looked up. */
  readonly waiting: number;
  /** A host that waited that long is not looked up any more: nobody waits for it. */
  readonly patienceMs: number;
}

/**
 * `resolve`, a few hosts at a time and each once for all that ask while it is under way: the system looks names up on the few
 * threads that files and compression need too. Throws for a host that has no turn, as for one that is not known now.
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
    if (queue.length >= waiting) throw new Error('Too many host names wait to be looked up.');
    // whoever ends leaves its place to the first that waits
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
      if (isWaiting && systemClock.nowMs() - sinceMs >= patienceMs) throw new Error('The look-up had no turn in time.');
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
