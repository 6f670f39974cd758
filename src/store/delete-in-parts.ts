import type { Sql, SqlValue } from './contract.ts';

export interface PartwiseDelete {
  /** Deletes `mostRows` at most, and fewer only when no more are left. */
  readonly statement: string;
  readonly values: readonly SqlValue[];
  readonly mostRows: number;
  /** An abort stops between two statements; the remaining rows are deleted the next time. */
  readonly signal: AbortSignal;
}

/** Deletes many rows in bounded statements, so that other work goes on beside it. Returns how many. */
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
