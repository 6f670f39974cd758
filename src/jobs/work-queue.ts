import type { Job as BossJob, PgBoss } from 'pg-boss';
import { AppError, asAppError, ERROR_CODES, type ErrorCode, framesOf, type Log } from '../kernel/index.ts';
import { WORK_OPTIONS } from './boss.ts';
import type { Job } from './contract.ts';
import { type JobData, within } from './queues.ts';

export interface Worker {
  readonly queue: string;
  readonly concurrency: number;
  /** Longest delay of a retried or delayed job. Each poll is a statement, even while the queue is empty. */
  readonly pollSeconds: number;
  readonly handle: (job: Job, data: JobData) => Promise<void>;
}

interface Surroundings {
  readonly boss: PgBoss;
  readonly log: Log;
  /** Aborts when the daemon drains. */
  readonly drain: AbortSignal;
}

/**
 * Starts as many pg-boss workers as handlers may run at once. pg-boss's own `localConcurrency` hides the ids of all but
 * the first, and with batches of one it sleeps between two jobs: we wake each worker when its job ends, so a backlog
 * drains without a pause.
 */
export async function workQueue(surroundings: Surroundings, worker: Worker): Promise<void> {
  const options = { ...WORK_OPTIONS, notifyPollingIntervalSeconds: worker.pollSeconds };
  for (let count = 0; count < worker.concurrency; count += 1) {
    const self = { id: '' };
    self.id = await surroundings.boss.work<JobData>(worker.queue, options, async ([job]) => {
      try {
        if (job !== undefined) await runJob(surroundings, worker, job);
      } finally {
        surroundings.boss.notifyWorker(self.id);
      }
    });
  }
}

async function runJob({ boss, log, drain }: Surroundings, worker: Worker, job: BossJob<JobData>): Promise<void> {
  const ended = new AbortController();
  const { queue } = worker;
  const { key } = job.data;
  let isSettled = false;
  // pg-boss also finds the job gone after we completed it ourselves; nothing is left to abort then
  const onLost = () => isSettled || ended.abort(lost(queue, key));
  const onDrain = () => ended.abort(drain.reason);
  job.signal.addEventListener('abort', onLost, { once: true });
  drain.addEventListener('abort', onDrain, { once: true });
  try {
    // fetched while the daemon began to drain: the queue gives the job to another daemon
    drain.throwIfAborted();
    const complete: Job['complete'] = async (tx) => {
      // pg-boss counts them, but leaves the count out of its types
      const settled = await boss.complete(queue, job, null, { db: within(tx) });
      if (!('affected' in settled) || settled.affected !== 1)
        throw new AppError('LEASE_LOST', `The job ${key} of ${queue} no longer belongs to this worker.`);
      tx.afterCommit(() => {
        isSettled = true;
      });
    };
    await worker.handle({ id: job.id, queue, key, signal: ended.signal, complete }, job.data);
  } catch (error) {
    const { code } = asAppError(error);
    const frames = framesOf(error);
    if (!ended.signal.aborted && !drain.aborted) log.warn({ queue, job: key, code, frames }, 'job.failed');
    throw withoutWords(code, frames);
  } finally {
    job.signal.removeEventListener('abort', onLost);
    drain.removeEventListener('abort', onDrain);
  }
}

/**
 * Makes the error that pg-boss keeps in `job.output`. Messages of errors, and the store's DETAIL, may quote a value, so they
 * are left out.
 */
function withoutWords(code: ErrorCode, frames: readonly string[]): Error {
  const error = new Error(`${code}: ${ERROR_CODES[code].meaning}`);
  error.stack = [error.message, ...frames].join('\n');
  return error;
}

function lost(queue: string, key: string): AppError {
  return new AppError('CANCELLED', `The job ${key} of ${queue} was cancelled, or another worker took it.`);
}
