// Background work: pg-boss behind one small interface, and cadences. A job wakes a worker and carries nothing but a key;
// the truth stands in the tables of the rooms. A cadence is a row with a cron and a due time. What this room is not: a
// scheduler of pipelines (runs) and a counter of attempts (the rooms count on their own rows).
import type { Transaction } from '../store/index.ts';

export interface Job {
  readonly id: string;
  readonly queue: string;
  /** `<workspace id>/<what>`: one queued or active job a key. */
  readonly key: string;
  /** Aborts with reason `'drain'` when the daemon drains, with an AppError CANCELLED when the job was cancelled or taken. */
  readonly signal: AbortSignal;
  /**
   * Marks the job as done inside the caller's transaction; throws LEASE_LOST when it is no longer this worker's.
   * A handler that returns without it completes the job too.
   */
  complete(tx: Transaction): Promise<void>;
}

export interface QueueOptions {
  /** Handlers of this queue that run at the same time in this daemon. */
  readonly concurrency: number;
  /** How late a retried or delayed job may start, 2 by default. Each of the concurrent places polls by itself. */
  readonly pollSeconds?: number;
}

export interface Jobs extends AsyncDisposable {
  /** Inside the caller's transaction; a second job of a key that is queued or active changes nothing. Needs `start`. */
  enqueue(tx: Transaction, queue: string, job: { readonly key: string; readonly startAfterMs?: number }): Promise<void>;
  /** Aborts the running handler of that key within about a second, or removes the queued job. */
  cancel(tx: Transaction, queue: string, key: string): Promise<void>;
  /** A handler that throws has its job retried by the queue after a short delay, without limit: attempts are counted elsewhere. */
  work(queue: string, options: QueueOptions, handler: (job: Job) => Promise<void>): Promise<void>;
  /**
   * A cadence is a row with a cron (UTC) and a due time: once however many daemons there are, once after downtime.
   * Claiming it makes a job in the same transaction, so an occurrence is claimed exactly once and its handler runs at
   * least once: again after a failure or a crash, never beside itself. What falls due meanwhile is left out.
   */
  cadence(name: string, cron: string, handler: (dueAt: Date, signal: AbortSignal) => Promise<void>): Promise<void>;
  /** `isAlone`: no other process can be working on this store, so what is active has lost its worker and is taken at once. */
  start(how?: { readonly isAlone: boolean }): Promise<void>;
  /** Handlers are called: from the end of `start` until the beginning of `drain`. */
  readonly isRunning: boolean;
  /** Takes no new job, aborts the handlers' signals with reason `'drain'`, waits for them up to `graceMs` (at least 1 s). */
  drain(graceMs: number): Promise<void>;
  /** Seconds the oldest waiting job has waited, for /metrics; 0 for a queue of this daemon where none waits. */
  queueAgeSeconds(): Promise<Readonly<Record<string, number>>>;
}
