import { RUN_STATUSES, type RunStatus } from '../../pipelines/index.ts';

/**
 * The events of a run.
 * - `claim`: a worker takes it; from `running` it takes it over from a worker that is gone.
 * - `release`: its worker hands it back (drain).
 * - `defer`: a passing error; the next attempt comes later.
 * - `end`: everything is delivered.
 * - `requeue`: a caller asks for a run that failed or was stopped to begin again (D-107).
 */
export const RUN_EVENTS = ['claim', 'release', 'defer', 'end', 'fail', 'cancel', 'requeue'] as const;
export type RunEvent = (typeof RUN_EVENTS)[number];

/** The next status. Null: the event no longer applies, and its sender writes nothing. */
type Outcome = RunStatus | null;

const OVER: Readonly<Record<RunEvent, Outcome>> = {
  claim: null,
  release: null,
  defer: null,
  end: null,
  fail: null,
  cancel: null,
  requeue: null,
};

const AGAIN = { ...OVER, requeue: 'queued' } as const;

const TABLE: Readonly<Record<RunStatus, Readonly<Record<RunEvent, Outcome>>>> = {
  queued: { claim: 'running', release: null, defer: null, end: null, fail: 'failed', cancel: 'stopped', requeue: null },
  running: {
    claim: 'running',
    release: 'queued',
    defer: 'retrying',
    end: 'success',
    fail: 'failed',
    cancel: 'stopped',
    requeue: null,
  },
  retrying: {
    claim: 'running',
    release: null,
    defer: null,
    end: null,
    fail: 'failed',
    cancel: 'stopped',
    requeue: null,
  },
  success: OVER,
  failed: AGAIN,
  stopped: AGAIN,
};

export function nextStatus(status: RunStatus, event: RunEvent): RunStatus | null {
  return TABLE[status][event];
}

/** Tells whether a run is live. A live run blocks others of its pipeline. */
export function isLive(status: RunStatus): boolean {
  return nextStatus(status, 'cancel') !== null;
}

/** Returns the statuses from which `event` is allowed, for the WHERE of the statement that writes it. */
export function statusesBefore(event: RunEvent): readonly RunStatus[] {
  return RUN_STATUSES.filter((status) => nextStatus(status, event) !== null);
}
