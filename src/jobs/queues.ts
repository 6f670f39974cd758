import type { Db, PgBoss } from 'pg-boss';
import { AppError, asAppError } from '../kernel/index.ts';
import type { SqlValue, Store, Transaction } from '../store/index.ts';
import { BOSS_SCHEMA, QUEUE_OPTIONS } from './boss.ts';

export interface JobData {
  readonly key: string;
  /** Due time of a cadence, ISO 8601. */
  readonly dueAt?: string;
}

/** Runs pg-boss's statements in our transaction. */
export function within(tx: Transaction): Db {
  return {
    async executeSql(text, values: SqlValue[] = []) {
      return { rows: [...(await tx.query(text, values))] };
    },
  };
}

/** Makes each queue once a process, before its first use: a daemon that only serves the API enqueues too. */
export function createQueues(boss: PgBoss): (queue: string) => Promise<void> {
  const made = new Map<string, Promise<void>>();
  const make = async (queue: string): Promise<void> => {
    await boss.createQueue(queue, { policy: 'exclusive', ...QUEUE_OPTIONS });
    // a queue that an earlier version made takes today's settings
    await boss.updateQueue(queue, QUEUE_OPTIONS);
  };
  return (queue) => {
    const known = made.get(queue);
    if (known !== undefined) return known;
    const making = make(queue).catch((cause: unknown) => {
      made.delete(queue);
      throw queueUnavailable(`The job queue "${queue}" cannot be created`, cause);
    });
    made.set(queue, making);
    return making;
  };
}

/** Makes an error of the queue. pg-boss uses a pool of its own, so its errors are the driver's. */
export function queueUnavailable(what: string, cause: unknown): AppError {
  const reason = asAppError(cause).message;
  return new AppError('STORE_UNAVAILABLE', `${what}: ${reason}`, { cause });
}

/**
 * Sends a job. Policy `exclusive` with a singleton key allows one queued, active or retrying job a key; another one changes
 * nothing.
 */
export async function sendJob(
  boss: PgBoss,
  tx: Transaction,
  { queue, data, startAfterMs = 0 }: { readonly queue: string; readonly data: JobData; readonly startAfterMs?: number },
): Promise<void> {
  await boss.send(queue, data, { singletonKey: data.key, startAfter: startAfterMs / 1000, db: within(tx) });
}

/** Cancels a job. The heartbeat of its running handler finds the job gone and aborts it. */
export async function cancelJob(
  boss: PgBoss,
  tx: Transaction,
  { queue, key }: { readonly queue: string; readonly key: string },
): Promise<void> {
  const jobs = await tx.query<{ id: string }>(
    `SELECT id FROM ${BOSS_SCHEMA}.job WHERE name = $1 AND singleton_key = $2 AND state <= 'active'`,
    [queue, key],
  );
  if (jobs.length > 0)
    await boss.cancel(
      queue,
      jobs.map(({ id }) => id),
      { db: within(tx) },
    );
}

/** Returns by queue when the oldest job that could run by now became ready. */
export async function findOldestReady(store: Store, now: Date): Promise<ReadonlyMap<string, Date>> {
  const rows = await store.query<{ name: string; since: Date }>(
    `SELECT name, min(start_after) AS since FROM ${BOSS_SCHEMA}.job
     WHERE state < 'active' AND start_after <= $1 GROUP BY name`,
    [now],
  );
  return new Map(rows.map(({ name, since }) => [name, since]));
}

/** Requeues the jobs of lost workers at once, without waiting until their heartbeats are overdue. */
export async function takeLostJobs(store: Store, now: Date): Promise<void> {
  await store.execute(`UPDATE ${BOSS_SCHEMA}.job SET state = 'retry', start_after = $1 WHERE state = 'active'`, [now]);
}
