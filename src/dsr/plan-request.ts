import type { RequestType } from './request-type.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The waiting period of an erasure, as the specification sets it. */
const WAITING_MS = 7 * DAY_MS;
/** Leaves an hour to do it in before 24 hours are over: cancelling is possible for under 24 hours, completing after them. */
const SKIPPED_WAITING_MS = 23 * HOUR_MS;
/** The soonest completion with skip_waiting_period: the specification says 1 to 14 days. */
const SOONEST_COMPLETION_MS = 24 * HOUR_MS;
const WORK_MS = 48 * HOUR_MS;

export interface RequestToPlan {
  readonly type: RequestType;
  readonly skipWaitingPeriod: boolean;
  readonly receivedOn: Date;
}

export interface RequestPlan {
  /** From then on a worker takes it. */
  readonly startsOn: Date;
  /** What the sender is told: planned start + 48 hours, to the next midnight UTC (a midnight is its own). */
  readonly expectedCompletionOn: Date;
}

/** Plans when a request starts and when it should be over (D-057). */
export function planRequest(request: RequestToPlan): RequestPlan {
  const startsMs = request.receivedOn.getTime() + waitingMs(request);
  return {
    startsOn: new Date(startsMs),
    expectedCompletionOn: new Date(Math.ceil((startsMs + WORK_MS) / DAY_MS) * DAY_MS),
  };
}

/** Before this an erasure is not completed, however early it was worked on; undefined: at any time. */
export function completesNotBefore({ type, receivedOn }: Pick<RequestToPlan, 'type' | 'receivedOn'>): Date | undefined {
  return type === 'erasure' ? new Date(receivedOn.getTime() + SOONEST_COMPLETION_MS) : undefined;
}

/** False: a request of this type starts at any time, even one that was received by a clock that ran ahead. */
export const waitsForStart = (type: RequestType): boolean => type === 'erasure';

// Returns how long a request waits. Access and portability wait for nothing, so they start at the next pass of a worker
// (D-057).
function waitingMs({ type, skipWaitingPeriod }: RequestToPlan): number {
  if (!waitsForStart(type)) return 0;
  return skipWaitingPeriod ? SKIPPED_WAITING_MS : WAITING_MS;
}
