import type { RequestType } from './request-type.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The waiting period of an erasure, as the specification sets it. */
const WAITING_MS = 7 * DAY_MS;
/**
 * Waiting time with skip_waiting_period. Cancelling is possible for under 24 hours and completion only after them; the last
 * hour is left for the work.
 */
const SKIPPED_WAITING_MS = 23 * HOUR_MS;
/** Earliest completion with skip_waiting_period. The specification says 1 to 14 days. */
const SOONEST_COMPLETION_MS = 24 * HOUR_MS;
const WORK_MS = 48 * HOUR_MS;

export interface RequestToPlan {
  readonly type: RequestType;
  readonly skipWaitingPeriod: boolean;
  readonly receivedOn: Date;
}

export interface RequestPlan {
  /** Time from which a worker takes the request. */
  readonly startsOn: Date;
  /** Completion time told to the sender: planned start plus 48 hours, rounded up to midnight UTC. */
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

/** Returns the time before which an erasure is not completed, even if its work is done; undefined for other types. */
export function earliestCompletion({ type, receivedOn }: Pick<RequestToPlan, 'type' | 'receivedOn'>): Date | undefined {
  return type === 'erasure' ? new Date(receivedOn.getTime() + SOONEST_COMPLETION_MS) : undefined;
}

/**
 * Returns whether requests of a type wait for their start. Others start at once, even where a clock that ran ahead received
 * them.
 */
export const hasWaitingPeriod = (type: RequestType): boolean => type === 'erasure';

// Returns how long a request waits. Access and portability do not wait: they start at the next pass of a worker (D-057).
function waitingMs({ type, skipWaitingPeriod }: RequestToPlan): number {
  if (!hasWaitingPeriod(type)) return 0;
  return skipWaitingPeriod ? SKIPPED_WAITING_MS : WAITING_MS;
}
