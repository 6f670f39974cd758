import type { RunResult } from '../lifecycle/finish-run.ts';
import { countsOfRun } from '../lifecycle/held-run.ts';
import { deliverAll } from '../read/deliver-all.ts';
import type { Execution } from '../read/execute-run.ts';
import { openMapping } from '../read/open-source.ts';
import { warnOfRowsAhead } from '../read/rows-ahead.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { loadColumns, readRecords } from './read-records.ts';
import { createRecordLedger } from './record-ledger.ts';
import type { RecordRetry } from './record-retry.ts';

/**
 * Maps kept rows by the pipeline's current definition and delivers them. A row that fails again becomes a failed record of this
 * run.
 * Each chunk marks its records in its own transaction, so an attempt resumes where the previous one ended.
 */
export async function executeRetry(
  deps: RunsDeps,
  { claimed, signal }: Execution,
  retry: RecordRetry,
): Promise<RunResult> {
  const { store, clock, settings } = deps;
  const sinceMs = clock.nowMs();
  let progress = countsOfRun(claimed.run);
  for (const columns of await loadColumns(store, claimed, retry)) {
    const mapping = await openMapping(deps, claimed, columns.columns);
    const ledger = createRecordLedger(clock, claimed, retry);
    const { chunkRows } = settings;
    // page by page from the store: there is nothing to interrupt
    const read = () => readRecords({ store, claimed, retry, columns, mapping, chunkRows });
    const delivery = { claimed, mapping, ledger, columns, progress };
    progress = await deliverAll(deps, { read, delivery, signal, sinceMs });
  }
  return { position: undefined, warnings: await warnOfRowsAhead(deps, claimed) };
}
