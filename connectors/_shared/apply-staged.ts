import { AppError } from '../../src/kernel/index.ts';
import type { StagedRows, WriteBackRequest, WriteBackResult } from '../../src/warehouse/index.ts';
import {
  conflictsOf,
  conflictsSql,
  loadedSql,
  patternsOf,
  type StagingSql,
  updateSql,
  withholdSql,
} from './write-back-sql.ts';

/** Work of one product on the statements of `write-back-sql.ts`, inside an open transaction. */
export interface StagedWork {
  readonly sql: StagingSql;
  /** Runs a statement and returns the number of rows that it changed. */
  change(sql: string): Promise<number>;
  /** Returns the rows of a query as texts. */
  ask(sql: string): Promise<readonly (readonly (string | null)[])[]>;
}

/** Applies the loaded rows: counts them, asks once more which to withhold, updates, and looks for conflicts. */
export async function applyStaged(
  { sql, change, ask }: StagedWork,
  request: WriteBackRequest,
  signal: AbortSignal,
): Promise<WriteBackResult> {
  await checkLoaded(request.rows, () => ask(loadedSql(sql)));
  const withheld = await request.beforeUpdate();
  if (signal.aborted) throw new AppError('CANCELLED', 'The write-back was cancelled before the update.');
  for (const statement of withholdSql(sql, withheld)) await change(statement);
  let updated = 0;
  const patterns = patternsOf(request.rows);
  for (const pattern of patterns) updated += await change(updateSql(sql, pattern));
  let conflicts = 0;
  const listed = [];
  for (const pattern of patterns) {
    const found = conflictsOf(sql, await ask(conflictsSql(sql, pattern, request.mostListed)));
    conflicts += found.count;
    listed.push(...found.listed);
  }
  return { updated, conflicts, listed: listed.slice(0, request.mostListed) };
}

/**
 * Throws WAREHOUSE_UNKNOWN where the load has lost rows, which would be neither written nor conflicts.
 * Some products answer NULL, which is no row, for a text that they cannot parse. `ask` answers `loadedSql`.
 */
export async function checkLoaded(
  rows: Pick<StagedRows, 'length'>,
  ask: () => Promise<readonly (readonly (string | null)[])[]>,
): Promise<void> {
  const [[loaded] = []] = await ask();
  if (Number(loaded ?? -1) === rows.length) return;
  throw new AppError(
    'WAREHOUSE_UNKNOWN',
    `The warehouse loaded ${loaded ?? 'an unknown number'} of ${rows.length} keys, so none of them was written.`,
  );
}

export const NOTHING_WRITTEN: WriteBackResult = { updated: 0, conflicts: 0, listed: [] };
