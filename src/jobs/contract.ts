// Background work: a job wakes a worker and carries nothing but a key; the truth stands in the tables of the rooms.
import type { Transaction } from '../store/index.ts';

export interface Job {
  readonly id: string;
  readonly queue: string;
  /** `<workspace id>/<what>`: one queued or active job a key. */
  readonly key: string;
  /** Aborts when the job is cancelled, its heartbeat is lost, or the daemon drains. */
  readonly signal: AbortSignal;
  /** Marks the job as done inside the caller's transaction. A handler that returns without it completes the job too. */
  complete(tx: Transaction): Promise<void>;
}

export interface QueueOptions {
  /** Handlers of this queue that run at the same time in this daemon. */
  readonly concurrency: number;
}

export interface Jobs extends AsyncDisposable {
  /** Inside the caller's transaction; a second job of a key that is queued or active changes nothing. */
  enqueue(tx: Transaction, queue: string, job: { readonly key: string; readonly startAfterMs?: number }): Promise<void>;
  /** Aborts the running handler of that key within a second, or removes the queued job. */
  cancel(tx: Transaction, queue: string, key: string): Promise<void>;
  /** A handler that throws has its job retried by the queue after a short delay, without limit: attempts are counted elsewhere. */
  work(queue: string, options: QueueOptions, handler: (job: Job) => Promise<void>): Promise<void>;
  /** A cadence is a row with a cron (UTC) and a due time: once however many daemons there are, once after downtime. */
  cadence(name: string, cron: string, handler: (dueAt: Date, signal: AbortSignal) => Promise<void>): Promise<void>;
  start(): Promise<void>;
  /** Takes no new job, aborts the handlers' signals with reason `drain`, waits for them up to `graceMs`. */
  drain(graceMs: number): Promise<void>;
  /** Seconds the oldest waiting job has waited, for /metrics. */
  queueAgeSeconds(): Promise<Readonly<Record<string, number>>>;
}
