import { hash } from 'node:crypto';
import type { ClaimedRun } from './claim-run.ts';
import type { EngineDeps } from './engine-deps.ts';

const KEY_DIGITS = 32;

/**
 * The `snapshotKey` of what a run reads: the same in all its attempts, which share their first start, and another one once the
 * run is retried, which starts anew. Ids of runs are serials of a store, so the installation's own key is part of it, and so is
 * the start: a store that was restored gives ids a second time.
 */
export function snapshotKeyOf(
  { ledgerKey }: Pick<EngineDeps, 'ledgerKey'>,
  { workspaceId, runId, startedAt }: Pick<ClaimedRun, 'workspaceId' | 'runId' | 'startedAt'>,
): string {
  const reading = `${ledgerKey.reveal()}\nsnapshot\n${workspaceId}\n${runId}\n${startedAt}`;
  return hash('sha256', reading, 'hex').slice(0, KEY_DIGITS);
}
