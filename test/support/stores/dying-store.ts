import type { Sql, Store, Transaction } from '../../../src/store/index.ts';

/** Fate of the transaction in which the store dies: rolled back, or committed without an answer. */
export type Death = 'before its commit' | 'after its commit';

export interface DyingStore {
  readonly store: Store;
  /** What each transaction wrote, in order: one for each, statements outside of transactions too. */
  readonly points: readonly string[];
}

/** `FOR UPDATE OF i` locks, and writes nothing. */
const WRITES = /\b(?:insert\s+into|(?<!for\s)update|delete\s+from)\s+"?(\w+)/i;

/**
 * A store that is gone, as for a process that was killed, from its `last`th writing transaction on, which is the one that
 * dies. Transactions that only read are no points: nothing can be half done there.
 */
export function dyingStore(store: Store, last: number, death: Death): DyingStore {
  const points: string[] = [];
  let isDead = false;
  const requireAlive = () => {
    if (isDead) throw new Error('killed');
  };
  const die = (): never => {
    isDead = true;
    throw new Error('killed');
  };
  const isLast = (written: ReadonlySet<string>) =>
    written.size > 0 && points.push([...written].toSorted().join(', ')) === last;

  async function transaction<Result>(work: (tx: Transaction) => Promise<Result>, options?: object): Promise<Result> {
    requireAlive();
    let diesAfter = false;
    const result = await store.transaction(async (tx) => {
      const written = new Set<string>();
      const done = await work(watched(tx, written));
      requireAlive();
      const dies = isLast(written);
      if (dies && death === 'before its commit') die();
      diesAfter = dies;
      return done;
    }, options);
    return diesAfter ? die() : result;
  }

  const execute: Sql['execute'] = async (text, values) => {
    requireAlive();
    const dies = isLast(new Set([tableOf(text) ?? 'nothing']));
    if (dies && death === 'before its commit') die();
    const count = await store.execute(text, values);
    return dies ? die() : count;
  };
  const query: Sql['query'] = async (text, values) => {
    requireAlive();
    return await store.query(text, values);
  };
  return { points, store: Object.assign(Object.create(store) as Store, { transaction, execute, query }) };
}

const tableOf = (text: string): string | undefined => WRITES.exec(text)?.[1];

function watched(tx: Transaction, written: Set<string>): Transaction {
  const watch = (text: string) => {
    const table = tableOf(text);
    if (table !== undefined) written.add(table);
  };
  return {
    query: (text, values) => {
      watch(text);
      return tx.query(text, values);
    },
    execute: (text, values) => {
      watch(text);
      return tx.execute(text, values);
    },
    get orm() {
      // in what is tested here drizzle writes requests alone
      written.add('dsr_requests');
      return tx.orm;
    },
    copyIn: tx.copyIn,
    copyOut: tx.copyOut,
    afterCommit: tx.afterCommit,
  };
}
