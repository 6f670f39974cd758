import { Type } from 'typebox';
import { closed, Duration, Instant, optionalOrNull } from './shared.ts';

export const FREQUENCIES = ['hourly', 'daily', 'weekly', 'monthly'] as const;

const parameters = {
  frequency: Type.Optional(Type.Enum([...FREQUENCIES])),
  delay: optionalOrNull(Duration),
  start: optionalOrNull(Instant),
  end: optionalOrNull(Instant),
};

/** Schedule of a pipeline. The specification spells both `on-demand` and `on_demand`; both are accepted. */
export const ScheduleBody = closed(
  {
    type: Type.Enum(['interval', 'once', 'on_demand', 'on-demand']),
    ...parameters,
  },
  'ScheduleBody',
);

export const ScheduleAnswer = closed({ type: Type.Enum(['interval', 'once', 'on_demand']), ...parameters }, 'Schedule');
