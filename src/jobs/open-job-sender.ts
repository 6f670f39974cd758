import { createBoss } from './boss.ts';
import type { Jobs } from './contract.ts';
import type { JobsOptions } from './create-jobs.ts';
import { cancelJob, createQueues, queueUnavailable, sendJob } from './queues.ts';

/** Opens a sender of jobs for a command that ends after it; a daemon does the work. Throws STORE_UNAVAILABLE. */
export async function openJobSender({
  store,
  clock,
  log,
}: JobsOptions): Promise<Pick<Jobs, 'enqueue' | 'cancel'> & AsyncDisposable> {
  const boss = createBoss({ databaseUrl: store.databaseUrl, clock, log, sendsOnly: true });
  await boss.start().catch((cause: unknown) => {
    throw queueUnavailable('The job queue cannot be reached', cause);
  });
  const ensureQueue = createQueues(boss);
  return {
    async enqueue(tx, queue, { key, startAfterMs }) {
      await ensureQueue(queue);
      await sendJob(boss, tx, { queue, data: { key }, ...(startAfterMs === undefined ? {} : { startAfterMs }) });
    },
    async cancel(tx, queue, key) {
      await ensureQueue(queue);
      await cancelJob(boss, tx, { queue, key });
    },
    [Symbol.asyncDispose]: () => boss.stop({ graceful: false }),
  };
}
