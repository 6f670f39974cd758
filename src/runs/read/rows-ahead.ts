import type { Notice } from '../../pipelines/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';

/** Returns a warning of rows, over all attempts, whose time lay in the future when they were read; none without such rows. */
export async function warnOfRowsAhead({ store }: RunsDeps, claimed: ClaimedRun): Promise<readonly Notice[]> {
  const [row] = await store.query<{ readonly ahead: bigint }>(
    'SELECT ahead_records AS ahead FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [claimed.workspaceId, claimed.runId],
  );
  const ahead = row?.ahead ?? 0n;
  if (ahead === 0n) return [];
  const field = claimed.snapshot.pipeline.syncMode.iterator?.field ?? '';
  const message =
    `${ahead} rows have a "${field}" in the future. Their attributes count as set when the run began: otherwise no later ` +
    'value could replace them. Correct the values, or name another iterator_field.';
  return [{ message }];
}
