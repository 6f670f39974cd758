import type { Static } from 'typebox';
import { formatTime } from '../../kernel/index.ts';
import type { Run } from '../../pipelines/index.ts';
import type { RUN_STATES, RunStatusAnswer } from '../contract/run.ts';

/** Returns a run in the shape of version 1; `pipelineId` is the slug of its pipeline. */
export function runStatusAnswer(run: Run, pipelineId: string): Static<typeof RunStatusAnswer> {
  return {
    pipeline_run_id: run.id,
    id: pipelineId,
    workspace_id: run.workspaceId,
    logical_date: run.logicalDate.toISOString(),
    start_date: formatTime(run.startedOn),
    end_date: formatTime(run.endedOn),
    data_interval_start: run.rangeStart,
    data_interval_end: run.rangeEnd,
    pipeline_run_type: run.type,
    pipeline_run_state: stateOf(run),
    is_externally_triggered: run.type === 'manual',
    records_extracted: run.extractedRecords,
    records_mapped: run.successfulRecords,
    event_batches_generated: run.deliveredUnits,
    created_on: run.createdOn.toISOString(),
    created_by: run.type === 'manual' ? run.requestedBy : null,
    last_modified_on: formatTime(run.endedOn ?? run.startedOn),
    // no caller ends a run, but a caller requests a retry
    last_modified_by: run.type === 'manual' ? null : run.requestedBy,
  };
}

/**
 * Returns the state of a run in the words of version 1 (D-107). A requested run shows as such until a worker takes it.
 */
function stateOf({ status, attempts, requestedBy }: Run): (typeof RUN_STATES)[number] {
  switch (status) {
    case 'queued':
      return attempts === 0 && requestedBy !== null ? 'attempt_requested' : 'queued';
    case 'running':
    case 'retrying':
      return 'running';
    case 'success':
      return 'success';
    case 'failed':
    case 'stopped':
      return 'failed';
  }
}
