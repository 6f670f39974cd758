import type { Sql, SqlValue } from './contract.ts';

export interface PartwiseDelete {
  /** Deletes `mostRows` at most, and fewer only when no more are left. */
  readonly statement: string;
  readonly values: readonly SqlValue[];
  readonly mostRows: number;
  /** An abort ends it between two statements; what it leaves goes the next time. */
  readonly signal: AbortSignal;
}

/** Deletes many rows a bounded statement at a time, so that work goes on beside it; answers how many. */
export async function deleteInParts(sql: Sql, part: PartwiseDelete): Promise<number> {
  const { statement, values, mostRows, signal } = part;
  let deleted = 0;
  while (!signal.aborted) {
    const gone = await sql.execute(statement, values);
    deleted += gone;
    if (gone < mostRows) break;
  }
  return deleted;
}
