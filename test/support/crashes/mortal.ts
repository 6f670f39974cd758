// A daemon that dies at a point of its work: what it did up to there stays, and nothing that it does afterwards reaches the
// store or anybody outside. Points lie before and after each statement and commit, and around each outgoing call.
import type { Outgoing } from '../../../src/http/index.ts';
import type { Store } from '../../../src/store/index.ts';

export class Killed extends Error {}

export interface Mortal {
  readonly store: Store;
  readonly outgoing: Pick<Outgoing, 'call'>;
  /** What was passed, the point of death the last of them. */
  readonly points: readonly string[];
}

/** `dieAt`: the number of the point; undefined: it lives. */
export function mortal(store: Store, outgoing: Pick<Outgoing, 'call'> | undefined, dieAt?: number): Mortal {
  const points: string[] = [];
  let isDead = false;
  const pass = (point: string): void => {
    if (isDead) throw new Killed('dead');
    points.push(point);
    if (points.length - 1 !== dieAt) return;
    isDead = true;
    throw new Killed(`killed ${point}`);
  };
  const around = async <Result>(what: string, act: () => Promise<Result>): Promise<Result> => {
    pass(`before ${what}`);
    const result = await act();
    pass(`after ${what}`);
    return result;
  };
  const dying: Store = {
    ...store,
    query: (text, values) => around(wordsOf(text), () => store.query(text, values)),
    execute: (text, values) => around(wordsOf(text), () => store.execute(text, values)),
    async transaction(work, options) {
      pass('before a transaction');
      const result = await store.transaction(async (tx) => {
        const done = await work(tx);
        pass('before a commit');
        return done;
      }, options);
      pass('after a commit');
      return result;
    },
  };
  // spread does not take over what is a getter of the store
  Object.defineProperty(dying, 'orm', { get: () => store.orm });
  return {
    store: dying,
    outgoing: { call: (request) => around('a call', async () => (await called(outgoing)).call(request)) },
    points,
  };
}

async function called(outgoing: Pick<Outgoing, 'call'> | undefined): Promise<Pick<Outgoing, 'call'>> {
  if (outgoing === undefined) throw new Error('Nobody is called here.');
  return outgoing;
}

const wordsOf = (text: string): string => text.replace(/\s+/g, ' ').trim().split(' ').slice(0, 3).join(' ');

/**
 * Lets `work` die at each of its points, one after the other, each time in a new beginning, and then checks what is left.
 * Answers the points, so that a test can say which there must be.
 */
export async function dieEverywhere<Beginning>(life: {
  readonly begin: () => Promise<Beginning>;
  readonly work: (beginning: Beginning, dieAt: number | undefined) => Promise<Mortal>;
  readonly afterDeath: (beginning: Beginning, point: string) => Promise<void>;
}): Promise<readonly string[]> {
  const { points } = await life.work(await life.begin(), undefined);
  for (let dieAt = 0; dieAt < points.length; dieAt++) {
    const beginning = await life.begin();
    const dead = await life.work(beginning, dieAt);
    await life.afterDeath(beginning, `${dieAt}: ${dead.points.at(-1)}`);
  }
  return points;
}
