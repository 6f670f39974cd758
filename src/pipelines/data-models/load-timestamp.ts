// The load timestamp is a default of the model for its pipelines: column, type, zone and delay. A pipeline follows it, or has
// an iterator and a delay of its own. Pure.
import type { Static } from 'typebox';
import type { PipelineBody } from '../contract/pipeline.ts';
import type { Pipeline } from '../pipelines/pipeline.ts';
import type { PipelineDraft } from '../pipelines/pipeline-draft.ts';

export interface LoadTimestamp {
  /** Name of the column that tracks changes. */
  readonly field?: string;
  /** Type as the caller sent it. Without a type changes are not tracked, and all rows are loaded each time. */
  readonly type?: string;
  /** IANA name. */
  readonly timeZone?: string;
  /** Whole seconds that the warehouse gets to settle. */
  readonly offsetSeconds?: number;
}

type Following = Pick<Static<typeof PipelineBody>, 'sync_mode' | 'schedule'>;

/** Returns the sync_mode and schedule of a pipeline that follows its model. `from`, `until` and the rest stay its own. */
export function followModel(loadTimestamp: LoadTimestamp | null, { sync_mode, schedule }: Following): Following {
  const { field, type, timeZone, offsetSeconds = 0 } = loadTimestamp ?? {};
  const { from, until, lookback } = sync_mode;
  const bounds = { ...(from != null && { from }), ...(until != null && { until }) };
  const { delay: _, ...rest } = schedule;
  return {
    schedule: { ...rest, ...(offsetSeconds > 0 && { delay: `${offsetSeconds}s` }) },
    sync_mode:
      field === undefined || type === undefined
        ? { type: 'full', ...bounds }
        : {
            type: 'incremental',
            iterator_field: field,
            iterator_data_type: type,
            ...bounds,
            ...(timeZone !== undefined && { iterator_time_zone: timeZone }),
            ...(lookback != null && { lookback }),
          },
  };
}

/** Tells whether both versions of a pipeline find changed rows by the same iterator and delay. */
export function hasSameTracking(
  before: Pick<Pipeline, 'syncMode' | 'schedule'>,
  after: Pick<PipelineDraft, 'syncMode' | 'schedule'>,
): boolean {
  const tracked = ({ syncMode, schedule }: typeof before) =>
    JSON.stringify([syncMode.type, syncMode.iterator ?? null, schedule.delay ?? null]);
  return tracked(before) === tracked(after);
}
