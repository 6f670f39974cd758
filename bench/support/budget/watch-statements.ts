import type { Transaction } from '../../../src/store/index.ts';
import { scheduledMicros } from './cpu-sample.ts';

/** CPU of the store's backends in µs, by the statements that they ran. */
export type StatementCosts = Map<string, number>;

const LABEL_CHARS = 60;

/** Runs `work` with a transaction that adds the CPU of each of its statements, and of its commit, to `costs`. */
export async function watchStatements<Result>(
  tx: Transaction,
  costs: StatementCosts,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const used = () => scheduledMicros(`/proc/${row?.pid}`);
  const add = (label: string, since: number) => costs.set(label, (costs.get(label) ?? 0) + used() - since);
  const charge = async <Answer>(label: string, statement: () => Promise<Answer>): Promise<Answer> => {
    const before = used();
    const answer = await statement();
    add(label, before);
    return answer;
  };
  const result = await work({
    query: (text, values) => charge(labelOf(text), () => tx.query(text, values)),
    execute: (text, values) => charge(labelOf(text), () => tx.execute(text, values)),
    copyIn: (target, count, read) => charge(`COPY ${target.table} FROM STDIN`, () => tx.copyIn(target, count, read)),
    copyOut: (query, types, onRow) => charge(labelOf(query), () => tx.copyOut(query, types, onRow)),
    afterCommit: (action) => tx.afterCommit(action),
    get orm() {
      return tx.orm;
    },
  });
  const last = used();
  tx.afterCommit(() => add('COMMIT', last));
  return result;
}

function labelOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, LABEL_CHARS);
}
