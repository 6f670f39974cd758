import type { Static } from 'typebox';
import type { Issue } from '../../kernel/index.ts';
import { FREQUENCIES, type ScheduleBody } from '../contract/schedule.ts';
import type { Schedule } from '../pipelines/pipeline.ts';
import { canonicalInstant } from '../pipelines/read-sync-mode.ts';
import { instantMs, parseDuration } from './duration.ts';

type Wire = Static<typeof ScheduleBody>;
type Complain = (path: string, message: string) => void;

/** Reads a schedule from the wire into a record. Pure; complaints are pushed to `issues`. */
export function readSchedule(wire: Wire, issues: Issue[]): Schedule {
  const complain: Complain = (path, message) => issues.push({ path: `schedule.${path}`, message });
  const start = canonicalInstant(wire.start);
  const end = canonicalInstant(wire.end);
  if (wire.type === 'interval') checkInterval(wire, complain);
  checkLimits({ start, end, delay: wire.delay }, complain);
  return {
    // The specification spells it both ways; the underscore is answered.
    type: wire.type === 'on-demand' ? 'on_demand' : wire.type,
    ...(wire.frequency && { frequency: wire.frequency }),
    ...(start && { start }),
    ...(wire.delay && { delay: wire.delay }),
    ...(end && { end }),
  };
}

interface Limits {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly delay: string | null | undefined;
}

function checkLimits({ start, end, delay }: Limits, complain: Complain): void {
  if (delay != null && parseDuration(delay) === undefined) complain('delay', `"${delay}" is longer than 100 years`);
  for (const [path, instant] of Object.entries({ start, end })) {
    if (instant !== undefined && (instant < FIRST_START || instant > LAST_START))
      complain(path, `"${instant}" is out of range; choose a year after 1 and before 9000`);
  }
  if (isTooFine(start)) complain('start', 'is finer than a millisecond; round it');
  if (isTooFine(end)) complain('end', 'is finer than a millisecond; round it');
  if (start !== undefined && end !== undefined && instantMs(end) <= instantMs(start)) {
    complain('end', `"${end}" is not after start; choose a later time, or leave it out`);
  }
}

// The first start that is accepted. The interval before it opens at a time that the store can hold.
const FIRST_START = '0002-01-01T00:00:00Z';
// The last start that is accepted. With a century of delay on top, every due time stays one that the store can hold.
const LAST_START = '8999-12-31T23:59:59.999Z';

/** Tells whether an instant is finer than a millisecond, in which boundaries are counted. */
function isTooFine(instant: string | undefined): boolean {
  return instant !== undefined && /\.\d{3}(?!000)\d{3}Z$/.test(instant);
}

function checkInterval({ frequency, start }: Wire, complain: Complain): void {
  if (frequency === undefined)
    complain('frequency', `is required for an interval; use one of ${FREQUENCIES.join(', ')}`);
  if (start == null) complain('start', 'is required for an interval; give a time such as 2024-01-31T00:00:00Z');
}
