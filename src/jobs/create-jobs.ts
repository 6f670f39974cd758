import type { PgBoss } from 'pg-boss';
import type { Clock, Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { createBoss } from './boss.ts';
import { type CadenceHandler, createCadences } from './cadences.ts';
import type { Jobs } from './contract.ts';
import { cancelJob, createQueues, findOldestReady, queueUnavailable, sendJob, takeLostJobs } from './queues.ts';
import { type Worker, workQueue } from './work-queue.ts';

export interface JobsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the jobs of a store. Handlers given to `work` and `cadence` before `start` begin with it; nothing runs earlier. */
export function createJobs({ store, clock, log }: JobsOptions): Jobs {
  const boss = createBoss({ databaseUrl: store.databaseUrl, clock, log });
  const ensureQueue = createQueues(boss);
  const drain = new AbortController();
  const workers: Worker[] = [];
  const cadences = createCadences({ store, boss, clock, log, stop: drain.signal });
  const phase = { isStarted: false, isComplete: false };
  let stopping: Promise<void> | undefined;

  const begin = async (worker: Worker): Promise<void> => {
    await ensureQueue(worker.queue);
    await workQueue({ boss, log, drain: drain.signal }, worker);
  };
  const add = async (worker: Worker): Promise<void> => {
    workers.push(worker);
    if (phase.isStarted) await begin(worker);
  };
  const stop = (graceMs: number): Promise<void> => {
    // pg-boss stops fetching before the handlers are aborted, and waits for them
    stopping ??= Promise.all([boss.stop({ graceful: true, timeout: graceMs }), cadences.ended()]).then(() => undefined);
    drain.abort('drain');
    return stopping;
  };

  return {
    async enqueue(tx, queue, { key, startAfterMs }) {
      await ensureQueue(queue);
      await sendJob(boss, tx, { queue, data: { key }, ...(startAfterMs === undefined ? {} : { startAfterMs }) });
    },
    async cancel(tx, queue, key) {
      await ensureQueue(queue);
      await cancelJob(boss, tx, { queue, key });
    },
    work: (queue, { concurrency, pollSeconds = 2 }, handle) => add({ queue, concurrency, pollSeconds, handle }),
    async cadence(name: string, cron: string, handler: CadenceHandler) {
      await cadences.add(name, cron, handler);
      if (phase.isStarted) await begin({ ...cadences.worker, concurrency: 1 });
    },
    async start({ isAlone } = { isAlone: false }) {
      await startBoss(boss);
      if (isAlone) await takeLostJobs(store, new Date(clock.nowMs()));
      phase.isStarted = true;
      for (const worker of [...workers, cadences.worker]) await begin(worker);
      await cadences.start();
      phase.isComplete = true;
    },
    get isRunning() {
      return phase.isComplete && !drain.signal.aborted;
    },
    drain: stop,
    queueAgeSeconds: () => queueAges(workers, { store, clock }),
    [Symbol.asyncDispose]: () => stop(0),
  };
}

/** Returns 0 for the queue of a worker in which nothing waits. */
async function queueAges(workers: readonly Worker[], { store, clock }: Pick<JobsOptions, 'store' | 'clock'>) {
  const worked = workers.map(({ queue }) => [queue, 0] as const);
  return Object.fromEntries([...worked, ...(await waitingSeconds(store, clock))]);
}

async function waitingSeconds(store: Store, clock: Clock): Promise<readonly (readonly [string, number])[]> {
  const now = new Date(clock.nowMs());
  const oldest = await findOldestReady(store, now);
  return [...oldest].map(([queue, since]) => [queue, (now.getTime() - since.getTime()) / 1000]);
}

async function startBoss(boss: PgBoss): Promise<void> {
  await boss.start().catch((cause: unknown) => {
    throw queueUnavailable('The job queue cannot start', cause);
  });
}
