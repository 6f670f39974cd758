import type { Notice, Schedule, SyncMode } from '../pipelines/pipeline.ts';
import { durationMs } from '../schedules/duration.ts';
import { nextDueAt, timetableOf } from '../schedules/schedule.ts';

/** Returns warnings about harmless but notable settings, from the pipeline alone. Pure. */
export function pipelineWarnings({
  syncMode,
  schedule,
}: {
  syncMode: SyncMode;
  schedule: Schedule;
}): readonly Notice[] {
  const warnings: Notice[] = [];
  const waits = durationMs(schedule.delay) > 0 || durationMs(syncMode.lookback) > 0;
  if (syncMode.type === 'incremental' && !waits) {
    warnings.push({
      message:
        'Rows that are committed late, with an iterator value before the end of the last run, are never loaded. ' +
        'Set schedule.delay to the duration of your loads, or set sync_mode.lookback.',
    });
  }
  if (syncMode.iterator === undefined && (syncMode.from !== undefined || syncMode.until !== undefined)) {
    warnings.push({
      message: 'sync_mode.from and until have no effect without an iterator_field; add it, or filter in the model.',
    });
  }
  const table = timetableOf(schedule, syncMode.from);
  if (table.type === 'interval' && nextDueAt(table, null, table.startMs) === null) {
    warnings.push({
      message: 'The schedule ends before its first interval, so it starts no run. Choose a later schedule.end.',
    });
  }
  return warnings;
}
