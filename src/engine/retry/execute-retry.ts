import { countsOfRun } from '../count-rows.ts';
import { deliverAll } from '../deliver-all.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Execution } from '../execute-run.ts';
import type { RunResult } from '../finish-run.ts';
import { openMapping } from '../open-source.ts';
import { warnOfRowsAhead } from '../rows-ahead.ts';
import { loadColumns, readRecords } from './read-records.ts';
import { createRecordLedger } from './record-ledger.ts';
import type { RecordRetry } from './record-retry.ts';

/**
 * Maps kept rows as the pipeline is now and delivers them; what fails again is a failed record of this run. Each chunk marks
 * its records in its own transaction, so an attempt goes on where the one before it ended.
 */
export async function executeRetry(
  deps: EngineDeps,
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
