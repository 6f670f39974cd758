import { Type } from 'typebox';
import { closed, Duration, Instant, optionalOrNull } from './shared.ts';

/** Sync mode of a pipeline. `iterator_time_zone` and `lookback` are extensions (D-083, D-084). */
export const SyncModeShape = closed(
  {
    type: Type.Enum(['incremental', 'full']),
    iterator_field: optionalOrNull(
      Type.String({ minLength: 1, description: 'Column with the time at which a row changed.' }),
    ),
    iterator_data_type: optionalOrNull(
      Type.String({ description: 'Type of the iterator column, such as timestamp, datetime_tz or date.' }),
    ),
    iterator_time_zone: optionalOrNull(
      Type.String({ description: 'IANA time zone of a column without one, such as Europe/Berlin. Defaults to UTC.' }),
    ),
    from: optionalOrNull(Instant),
    until: optionalOrNull(Instant),
    lookback: optionalOrNull(Duration),
  },
  'SyncMode',
);
