import { hash } from 'node:crypto';
import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';

const KEY_DIGITS = 32;

/**
 * The `snapshotKey` of what a run reads: the same in all its attempts, which share their first start, and another one once the
 * run is retried, which starts anew. Ids of runs are serials of a store, so the installation's own key is part of it, and so is
 * the start: a store that was restored gives ids a second time. So are the columns that the attempt expects: a result that
 * the warehouse keeps of a table which was replaced since has others, and would fail every attempt that is left.
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
