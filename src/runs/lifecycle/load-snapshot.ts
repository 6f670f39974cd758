import type { Run } from '../../pipelines/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type RunSnapshot, snapshotFromText } from './run-snapshot.ts';

interface SnapshotOfRun {
  readonly pipelineNumber: bigint;
  /** The run's snapshot. Undefined: the run has not begun, or was requeued from the start. */
  readonly snapshot: RunSnapshot | undefined;
}

/** Returns the definitions that a run works on. Returns undefined when retention has removed the run. */
export async function loadSnapshot(
  tx: Transaction,
  { workspaceId, id }: Pick<Run, 'workspaceId' | 'id'>,
): Promise<SnapshotOfRun | undefined> {
  const [run] = await tx.query<{ readonly pipelineNumber: bigint; readonly snapshot: string | null }>(
    'SELECT pipeline_number AS "pipelineNumber", snapshot FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [workspaceId, id],
  );
  if (run === undefined) return undefined;
  return { ...run, snapshot: run.snapshot === null ? undefined : snapshotFromText(run.snapshot) };
}
