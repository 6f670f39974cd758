import { recordChange } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { refuse } from '../../kernel/index.ts';
import { loadPipeline, loadRun, type Run } from '../../pipelines/index.ts';
import type { EndpointDeps } from '../endpoint-deps.ts';
import { cancelRun } from './cancel-run.ts';

interface NamedRun {
  readonly pipelineId: string;
  readonly runId: bigint;
}

/**
 * Cancels a run of a pipeline for a caller and returns it. Throws NOT_FOUND, and VALIDATION_FAILED when the run is over
 * already.
 */
export async function cancelPipelineRun(
  { store, jobs, clock }: Pick<EndpointDeps, 'store' | 'jobs' | 'clock'>,
  { workspaceId, actor }: Caller,
  { pipelineId, runId }: NamedRun,
): Promise<Run> {
  return await store.transaction(async (tx) => {
    const { pipeline } = await loadPipeline(tx, { workspaceId, id: pipelineId });
    const run = await loadRun(tx, pipeline, runId);
    const nowMs = clock.nowMs();
    if (!(await cancelRun(tx, jobs, { workspaceId, runId, nowMs }))) throw overAlready(run);
    await recordChange(tx, {
      workspaceId,
      occurredOn: new Date(nowMs),
      actor,
      action: 'run.cancelled',
      resource: `pipeline/${pipelineId}`,
      detail: { pipeline_run_id: runId },
    });
    return await loadRun(tx, pipeline, runId);
  });
}

function overAlready({ id, status, endedOn }: Run) {
  const when = endedOn === null ? '' : ` at ${endedOn.toISOString()}`;
  const how = endedOn === null ? '' : ` (${status})`;
  return refuse([{ path: 'runId', message: `run ${id} has already ended${when}${how}: there is nothing to cancel` }]);
}
