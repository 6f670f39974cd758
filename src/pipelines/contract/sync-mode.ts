import { Type } from 'typebox';
import { closed, Duration, Instant, optionalOrNull } from './shared.ts';

/** Sync mode of a pipeline. `iterator_time_zone` and `lookback` are extensions (D-083, D-084). */
export const SyncModeShape = closed(
  {
    type: Type.Enum(['incremental', 'full']),
    iterator_field: optionalOrNull(Type.String({ minLength: 1, description: 'Column that tells what changed.' })),
    iterator_data_type: optionalOrNull(Type.String({ description: 'Such as timestamp, datetime_tz, date.' })),
    iterator_time_zone: optionalOrNull(
      Type.String({ description: 'IANA zone of a column without one, such as Europe/Berlin. UTC unless given.' }),
    ),
    from: optionalOrNull(Instant),
    until: optionalOrNull(Instant),
    lookback: optionalOrNull(Duration),
  },
  'SyncMode',
);
