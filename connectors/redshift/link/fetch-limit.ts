import { messageOf } from '../../../src/kernel/index.ts';
import type { RawRow } from '../sdk.ts';
import { MANY_FETCHED_ROWS, ROLLBACK, TRY_FETCH } from '../statements.ts';

/** Limit of a cluster of a single node, and of a server that does not say. */
const FEW_FETCHED_ROWS = 1000;
const REFUSED = /^Fetch size \d+ exceeds the limit of (\d{1,9}) /;

/**
 * Returns the most rows that one FETCH may ask for. A cluster of a single node refuses more than 1,000, and no view that every
 * user may read says how many nodes there are. So a cursor over one row is fetched from by more, before any transaction that a
 * refusal could end. The refusal depends on the number alone: https://github.com/microsoft/vscode-postgresql/issues/91
 */
export async function askFetchLimit(run: (sql: string) => Promise<readonly RawRow[]>): Promise<number> {
  const limit = await run(TRY_FETCH.join('; ')).then(
    () => MANY_FETCHED_ROWS,
    (failure: unknown) => Number(REFUSED.exec(messageOf(failure))?.[1] ?? FEW_FETCHED_ROWS),
  );
  await run(ROLLBACK);
  return limit;
}
