/** Values of request_status. */
export const REQUEST_STATUSES = ['pending', 'in_progress', 'completed', 'cancelled'] as const;
export type RequestStatus = (typeof REQUEST_STATUSES)[number];

/**
 * Events of a request. `start`: it is due and a worker takes it. `take`: a worker takes it again, after a failed attempt or
 * from a worker that is gone. `fail`: an attempt failed. `complete`: all is done. `cancel`: its sender withdraws it. `retry`:
 * the operator wants the next attempt now.
 */
export const REQUEST_EVENTS = ['start', 'take', 'fail', 'complete', 'cancel', 'retry'] as const;
export type RequestEvent = (typeof REQUEST_EVENTS)[number];

/** The next status; null where the event does not apply and nothing is written. */
type Outcome = RequestStatus | null;

const OVER: Readonly<Record<RequestEvent, Outcome>> = {
  start: null,
  take: null,
  fail: null,
  complete: null,
  cancel: null,
  retry: null,
};

// The specification leaves the moves among pending, in_progress and completed open (D-057).
const TABLE: Readonly<Record<RequestStatus, Readonly<Record<RequestEvent, Outcome>>>> = {
  pending: { ...OVER, start: 'in_progress', cancel: 'cancelled' },
  in_progress: { ...OVER, take: 'in_progress', fail: 'in_progress', complete: 'completed', retry: 'in_progress' },
  completed: OVER,
  cancelled: OVER,
};

export function nextRequestStatus(status: RequestStatus, event: RequestEvent): RequestStatus | null {
  return TABLE[status][event];
}

/** Returns the statuses to which `event` applies, for the WHERE of the statement that writes it. */
export function requestStatusesBefore(event: RequestEvent): readonly RequestStatus[] {
  return REQUEST_STATUSES.filter((status) => nextRequestStatus(status, event) !== null);
}

/** Tells whether a request is still to be done. Meanwhile an equal one is refused with 409 (D-055). */
export function isOpen(status: RequestStatus): boolean {
  return REQUEST_EVENTS.some((event) => nextRequestStatus(status, event) !== null);
}
