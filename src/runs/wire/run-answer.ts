import type { Static } from 'typebox';
import { formatTime } from '../../kernel/index.ts';
import type { Run } from '../../pipelines/index.ts';
import type { RunAnswer } from '../contract/run.ts';

/** Returns a run as the API answers it; `pipelineId` is the slug of its pipeline. */
export function runAnswer(run: Run, pipelineId: string): Static<typeof RunAnswer> {
  return {
    id: run.id,
    pipeline_id: pipelineId,
    type: run.type,
    status: run.status,
    errors: [...run.errors],
    logical_date: run.logicalDate.toISOString(),
    started_on: formatTime(run.startedOn),
    ended_on: formatTime(run.endedOn),
    range_start: run.rangeStart,
    range_end: run.rangeEnd,
    successful_records: run.successfulRecords,
    failed_records: run.failedRecords,
    extracted_records: run.extractedRecords,
    deduplicated_records: run.deduplicatedRecords,
    erased_records: run.erasedRecords,
    ...(run.writtenRecords !== null && { written_records: run.writtenRecords }),
    ...(run.conflictingRecords !== null && { conflicting_records: run.conflictingRecords }),
    ...(run.status === 'retrying' && run.retryAt !== null && { next_attempt_on: run.retryAt.toISOString() }),
    warnings: [...run.warnings],
  };
}
