// A daemon that is killed at one point: before or after a commit, before or after a call. From then on nothing it does
// reaches the store or the network, as with a process that is gone; what it had committed stays.
import type { Outgoing } from '../../../src/http/index.ts';
import type { Store, Transaction } from '../../../src/store/index.ts';

/** What a dead daemon throws. */
export class Killed extends Error {}

export interface Mortal {
  readonly store: Store;
  readonly outgoing: Outgoing;
  /** Points that were passed, in order: `before commit 1`, `after commit 1`, `before call 1` … */
  readonly points: readonly string[];
  readonly isDead: boolean;
}

/** `killAt`: the number of the point, from 0; absent: it lives, and tells its points. */
export function mortalDaemon({ store, outgoing }: Pick<Mortal, 'store' | 'outgoing'>, killAt = -1): Mortal {
  const state = { points: [] as string[], isDead: false, commits: 0, calls: 0 };
  const pass = (point: string): void => {
    if (state.isDead) throw new Killed(point);
    state.points.push(point);
    if (state.points.length - 1 !== killAt) return;
    state.isDead = true;
    throw new Killed(point);
  };
  const live = (): void => {
    if (state.isDead) throw new Killed('dead');
  };
  const mortalStore: Store = {
    ...store,
    get orm() {
      live();
      return store.orm;
    },
    async query(text, values) {
      live();
      return store.query(text, values);
    },
    async execute(text, values) {
      live();
      return store.execute(text, values);
    },
    async transaction(work, options) {
      live();
      const number = ++state.commits;
      const result = await store.transaction(async (tx: Transaction) => {
        const done = await work(tx);
        pass(`before commit ${number}`);
        return done;
      }, options);
      pass(`after commit ${number}`);
      return result;
    },
  };
  return {
    store: mortalStore,
    outgoing: {
      whyRefused: (url) => outgoing.whyRefused(url),
      async call(request) {
        const number = ++state.calls;
        pass(`before call ${number}`);
        const answer = await outgoing.call(request);
        pass(`after call ${number}`);
        return answer;
      },
    },
    get points() {
      return state.points;
    },
    get isDead() {
      return state.isDead;
    },
  };
}
