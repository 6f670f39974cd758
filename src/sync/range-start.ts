import { instantFromStore, type Micros, microsOfMs } from '../kernel/index.ts';
import { durationMs } from './duration.ts';
import type { Pipeline } from './pipeline.ts';
import type { RunType } from './run.ts';

type Bounds = Pick<Pipeline, 'position' | 'syncMode' | 'schedule'>;

/**
 * Where a run's range begins; null: no lower bound. The end of the last range that was delivered, widened by the lookback;
 * before any, `from`; a first run by trigger falls back to `start` (rulings §7, Schedules).
 */
export function rangeStart(pipeline: Bounds, type: RunType): Micros | null {
  const { syncMode, schedule } = pipeline;
  const from = syncMode.from === undefined ? null : instantFromStore(syncMode.from);
  if (pipeline.position !== null) {
    const widened = pipeline.position - microsOfMs(durationMs(syncMode.lookback));
    return from !== null && widened < from ? from : widened;
  }
  if (from !== null || type === 'scheduled' || schedule.start === undefined) return from;
  return instantFromStore(schedule.start);
}
