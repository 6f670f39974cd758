import { hash } from 'node:crypto';
import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';

const KEY_DIGITS = 32;

/**
 * Returns the `snapshotKey` of a run's reading: the same for all its attempts, which share their first start, and another one
 * after a retry, which starts anew.
 * - The installation's key and the start are part of it. Ids of runs are serials of a store, and a restored store assigns ids a
 *   second time.
 * - The expected columns are part of it. A cached result of a table that was replaced since has other columns, and would fail
 *   every remaining attempt.
 */
export function snapshotKeyOf(
  { ledgerKey }: Pick<RunsDeps, 'ledgerKey'>,
  { workspaceId, runId, startedAt }: Pick<ClaimedRun, 'workspaceId' | 'runId' | 'startedAt'>,
  columns: readonly Column[],
): string {
  const expected = JSON.stringify(columns.map(({ name, type }) => [name, type]));
  const reading = `${ledgerKey.reveal()}\nsnapshot\n${workspaceId}\n${runId}\n${startedAt}\n${expected}`;
  return hash('sha256', reading, 'hex').slice(0, KEY_DIGITS);
}
