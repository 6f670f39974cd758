import type { Job, Jobs } from '../../../src/jobs/index.ts';
import { AppError, type Clock } from '../../../src/kernel/index.ts';
import type { Transaction } from '../../../src/store/index.ts';

interface WaitingJob {
  readonly queue: string;
  readonly dueMs: number;
}

/** A job that a worker has taken. */
export interface TakenJob {
  readonly job: Job;
  /** The handler returned: the job is complete. */
  readonly finish: () => void;
  /** The worker was lost: the queue gives the job to another one. */
  readonly lose: () => void;
}

/** The contract of the queue in memory, so that a test decides which job is worked when. */
export interface JobList {
  readonly jobs: Jobs;
  /** Returns the oldest job that is due. */
  take(): TakenJob | undefined;
  clear(): void;
}

export function jobList(clock: Clock): JobList {
  const waiting = new Map<string, WaitingJob>();
  const active = new Map<string, AbortController>();
  const jobs: Pick<Jobs, 'enqueue' | 'cancel'> = {
    async enqueue(tx, queue, { key, startAfterMs = 0 }) {
      tx.afterCommit(() => {
        const dueMs = clock.nowMs() + startAfterMs;
        if (!waiting.has(key) && !active.has(key)) waiting.set(key, { queue, dueMs });
      });
    },
    async cancel(tx, _queue, key) {
      tx.afterCommit(() => {
        waiting.delete(key);
        active.get(key)?.abort(new AppError('CANCELLED', 'The job was cancelled.'));
        active.delete(key);
      });
    },
  };
  const hold = (key: string, queue: string): TakenJob => {
    const held = new AbortController();
    active.set(key, held);
    const release = () => active.get(key) === held && active.delete(key);
    const complete = async (tx: Transaction) => {
      if (active.get(key) !== held) throw new AppError('LEASE_LOST', `The job ${key} is another worker's.`);
      tx.afterCommit(release);
    };
    return {
      job: { id: key, queue, key, signal: held.signal, complete },
      finish: release,
      lose: () => release() && waiting.set(key, { queue, dueMs: clock.nowMs() }),
    };
  };
  return {
    jobs: jobs as Jobs,
    take() {
      const due = [...waiting].find(([, { dueMs }]) => dueMs <= clock.nowMs());
      if (due === undefined) return undefined;
      const [key, { queue }] = due;
      waiting.delete(key);
      return hold(key, queue);
    },
    clear() {
      waiting.clear();
      active.clear();
    },
  };
}
