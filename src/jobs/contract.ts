// Background work: pg-boss behind one small interface, and cadences. A job wakes a worker and carries nothing but a key; the
// state is in the tables of the rooms. A cadence is a row with a cron and a due time. This room does not schedule pipelines
// (`runs` does) and does not count attempts (the rooms count on their own rows).
import type { Transaction } from '../store/index.ts';

export interface Job {
  readonly id: string;
  readonly queue: string;
  /** `<workspace id>/<what>`: one queued or active job a key. */
  readonly key: string;
  /** Aborts with reason `'drain'` when the daemon drains, with an AppError CANCELLED when the job was cancelled or taken. */
  readonly signal: AbortSignal;
  /**
   * Marks the job as done inside the caller's transaction. Throws LEASE_LOST when another worker has the job. A handler that
   * returns without calling it completes the job too.
   */
  complete(tx: Transaction): Promise<void>;
}

export interface QueueOptions {
  /** Handlers of this queue that run at the same time in this daemon. */
  readonly concurrency: number;
  /** Longest delay of a retried or delayed job, in seconds; 2 by default. Each of the concurrent places polls by itself. */
  readonly pollSeconds?: number;
}

export interface Jobs extends AsyncDisposable {
  /**
   * Enqueues inside the caller's transaction. A second job of a key that is queued or active changes nothing. Needs `start`.
   */
  enqueue(tx: Transaction, queue: string, job: { readonly key: string; readonly startAfterMs?: number }): Promise<void>;
  /** Aborts the running handler of that key within about a second, or removes the queued job. */
  cancel(tx: Transaction, queue: string, key: string): Promise<void>;
  /**
   * Sets the handler of a queue. The queue retries the job of a handler that throws after a short delay, without limit:
   * attempts are counted elsewhere.
   */
  work(queue: string, options: QueueOptions, handler: (job: Job) => Promise<void>): Promise<void>;
  /**
   * Sets the handler of a cadence: a row with a cron (UTC) and a due time. It runs once however many daemons there are, and
   * once after downtime. Claiming it makes a job in the same transaction, so an occurrence is claimed exactly once. Its handler
   * runs at least once: again after a failure or a crash, never beside itself. Occurrences that fall due meanwhile are skipped.
   */
  cadence(name: string, cron: string, handler: (dueAt: Date, signal: AbortSignal) => Promise<void>): Promise<void>;
  /**
   * Starts work. `isAlone` says that no other process works on this store: active jobs then have lost their worker and are
   * taken at once.
   */
  start(how?: { readonly isAlone: boolean }): Promise<void>;
  /** Handlers are called, from the end of `start` until the beginning of `drain`. */
  readonly isRunning: boolean;
  /** Takes no new job, aborts the handlers' signals with reason `'drain'`, waits for them up to `graceMs` (at least 1 s). */
  drain(graceMs: number): Promise<void>;
  /**
   * Returns the seconds that the oldest waiting job has waited, for /metrics; 0 for a queue of this daemon where none waits.
   */
  queueAgeSeconds(): Promise<Readonly<Record<string, number>>>;
}
