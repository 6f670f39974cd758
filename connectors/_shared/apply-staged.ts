import { AppError } from '../../src/kernel/index.ts';
import type { WriteBackRequest, WriteBackResult } from '../../src/warehouse/index.ts';
import { conflictsOf, conflictsSql, patternsOf, type StagingSql, updateSql, withholdSql } from './write-back-sql.ts';

/** How one product runs what stands in `write-back-sql.ts`, inside a transaction that is open. */
export interface StagedWork {
  readonly sql: StagingSql;
  /** Where it is not `updateSql`. */
  readonly update?: typeof updateSql;
  /** Rows that a statement changed. */
  change(sql: string): Promise<number>;
  /** Rows of a query, as texts. */
  ask(sql: string): Promise<readonly (readonly (string | null)[])[]>;
}

/** What comes after the load: ask once more, update, look for conflicts. */
export async function applyStaged(
  { sql, update = updateSql, change, ask }: StagedWork,
  request: WriteBackRequest,
  signal: AbortSignal,
): Promise<WriteBackResult> {
  const withheld = await request.beforeUpdate();
  if (signal.aborted) throw new AppError('CANCELLED', 'The write-back was cancelled before the update.');
  for (const statement of withholdSql(sql, withheld)) await change(statement);
  let updated = 0;
  const patterns = patternsOf(request.rows);
  for (const pattern of patterns) updated += await change(update(sql, pattern));
  let conflicts = 0;
  const listed = [];
  for (const pattern of patterns) {
    const found = conflictsOf(sql, await ask(conflictsSql(sql, pattern, request.mostListed)));
    conflicts += found.count;
    listed.push(...found.listed);
  }
  return { updated, conflicts, listed: listed.slice(0, request.mostListed) };
}

export const NOTHING_WRITTEN: WriteBackResult = { updated: 0, conflicts: 0, listed: [] };
