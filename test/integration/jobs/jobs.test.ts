import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createJobs, type Job, type Jobs } from '../../../src/jobs/index.ts';
import { createLog, systemClock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { until } from '../../support/clocks/until.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const QUEUE = 'runs';
const KEY = '1/run 7';
const log = createLog('silent');

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

const makeJobs = (): Jobs => createJobs({ store, clock: systemClock, log });
const enqueue = (jobs: Jobs, key = KEY, startAfterMs?: number) =>
  store.transaction((tx) => jobs.enqueue(tx, QUEUE, startAfterMs === undefined ? { key } : { key, startAfterMs }));
const states = async (key = KEY) => {
  const rows = await store.query<{ state: string }>(
    'SELECT state::text FROM pgboss.job WHERE name = $1 AND singleton_key = $2 ORDER BY created_on',
    [QUEUE, key],
  );
  return rows.map(({ state }) => state);
};
/** Resolves when the signal aborts, as a handler does that has nothing else to do. */
const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

describe('enqueuing', () => {
  let jobs: Jobs;
  beforeAll(async () => {
    jobs = makeJobs();
    await jobs.start();
  });
  beforeEach(() => store.query('DELETE FROM pgboss.job'));
  afterAll(() => jobs[Symbol.asyncDispose]());

  test('leaves a job when its transaction commits', async () => {
    await enqueue(jobs);
    expect(await states()).toEqual(['created']);
  });

  test('leaves none when it rolls back', async () => {
    const failing = store.transaction(async (tx) => {
      await jobs.enqueue(tx, QUEUE, { key: KEY });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await states()).toEqual([]);
  });

  test('keeps one live job a key, within a transaction and across concurrent ones', async () => {
    await store.transaction(async (tx) => {
      await jobs.enqueue(tx, QUEUE, { key: KEY });
      await jobs.enqueue(tx, QUEUE, { key: KEY });
    });
    await Promise.all(Array.from({ length: 8 }, () => enqueue(jobs)));
    expect(await states()).toEqual(['created']);
  });

  test('keeps keys apart', async () => {
    await enqueue(jobs, '1/a');
    await enqueue(jobs, '1/b');
    expect([await states('1/a'), await states('1/b')]).toEqual([['created'], ['created']]);
  });

  test('takes the key again once its job was cancelled', async () => {
    await enqueue(jobs);
    await store.transaction((tx) => jobs.cancel(tx, QUEUE, KEY));
    await enqueue(jobs);
    expect(await states()).toEqual(['cancelled', 'created']);
  });

  test('reports the age of the oldest job that could run', async () => {
    expect(await jobs.queueAgeSeconds()).toEqual({});
    await enqueue(jobs, '1/later', 3_600_000);
    expect(await jobs.queueAgeSeconds()).toEqual({});
    await enqueue(jobs);
    await store.query(`UPDATE pgboss.job SET start_after = start_after - interval '90 s' WHERE singleton_key = $1`, [
      KEY,
    ]);
    expect((await jobs.queueAgeSeconds())[QUEUE]).toBeCloseTo(90, -1);
  });
});

describe('working', () => {
  beforeEach(() => store.query('DELETE FROM pgboss.job'));

  /** Jobs whose queue is worked on by `handler`, started. */
  async function working(handler: (job: Job) => Promise<void>, concurrency = 1): Promise<Jobs> {
    const jobs = makeJobs();
    await jobs.work(QUEUE, { concurrency }, handler);
    await jobs.start();
    return jobs;
  }

  test('hands a job over at once and completes it when its handler returns', async () => {
    const seen: string[] = [];
    await using jobs = await working(async ({ key, queue }) => {
      seen.push(`${queue} ${key}`);
    });
    await enqueue(jobs);
    await until(async () => (await states())[0] === 'completed');
    expect(seen).toEqual([`${QUEUE} ${KEY}`]);
  });

  test('drains a backlog without a pause between two jobs', async () => {
    let done = 0;
    await using jobs = await working(async () => {
      done += 1;
    });
    const started = performance.now();
    await store.transaction(async (tx) => {
      for (let index = 0; index < 30; index += 1) await jobs.enqueue(tx, QUEUE, { key: `1/${index}` });
    });
    await until(() => done === 30);
    // thirty pauses of a polling interval would be a minute
    expect(performance.now() - started).toBeLessThan(50_000);
  });

  test('runs no more handlers at once than it was told', async () => {
    let running = 0;
    let most = 0;
    let done = 0;
    await using jobs = await working(async () => {
      running += 1;
      most = Math.max(most, running);
      // the first one waits for company
      await until(() => most === 2);
      await systemClock.sleep(30);
      running -= 1;
      done += 1;
    }, 2);
    for (let index = 0; index < 8; index += 1) await enqueue(jobs, `1/${index}`);
    await until(() => done === 8);
    expect(most).toBe(2);
  });

  test('completes inside the transaction of the handler', async () => {
    await using jobs = await working(async (job) => {
      await store.transaction(async (tx) => {
        await job.complete(tx);
        expect(await states()).toEqual(['active']);
      });
      expect(await states()).toEqual(['completed']);
    });
    await enqueue(jobs);
    await until(async () => (await states())[0] === 'completed');
  });

  test('does not complete when that transaction rolls back, and retries', async () => {
    let attempts = 0;
    await using jobs = await working(async (job) => {
      attempts += 1;
      await store.transaction(async (tx) => {
        await job.complete(tx);
        if (attempts === 1) throw new Error('rolled back');
      });
    });
    await enqueue(jobs);
    await until(async () => (await states())[0] === 'completed');
    expect(attempts).toBe(2);
  });

  test('completes and enqueues the same key again in one transaction', async () => {
    let attempts = 0;
    await using jobs = await working(async (job) => {
      attempts += 1;
      if (attempts > 1) return;
      await store.transaction(async (tx) => {
        await job.complete(tx);
        await jobs.enqueue(tx, QUEUE, { key: job.key });
      });
    });
    await enqueue(jobs);
    await until(async () => (await states()).join() === 'completed,completed');
    expect(attempts).toBe(2);
  });

  test('starts a delayed job when its time has come', async () => {
    let startedAt = 0;
    await using jobs = await working(async () => {
      startedAt = performance.now();
    });
    const before = performance.now();
    await enqueue(jobs, KEY, 1500);
    await until(() => startedAt > 0);
    expect(startedAt - before).toBeGreaterThan(1400);
  });
});

describe('cancelling', () => {
  test('aborts the running handler, whose completion is refused then', async () => {
    await using jobs = makeJobs();
    const outcome: unknown[] = [];
    await jobs.work(QUEUE, { concurrency: 1 }, async (job) => {
      outcome.push(await aborted(job.signal));
      await store.transaction((tx) => job.complete(tx)).catch((error: unknown) => outcome.push(error));
    });
    await jobs.start();
    await enqueue(jobs, '1/cancelled');
    await until(async () => (await states('1/cancelled'))[0] === 'active');
    await store.transaction((tx) => jobs.cancel(tx, QUEUE, '1/cancelled'));
    await until(() => outcome.length === 2);
    expect(outcome).toEqual([
      expect.objectContaining({ code: 'CANCELLED' }),
      expect.objectContaining({ code: 'LEASE_LOST' }),
    ]);
    expect(await states('1/cancelled')).toEqual(['cancelled']);
  });

  test('of what is not there changes nothing', async () => {
    await using jobs = makeJobs();
    await jobs.start();
    await store.transaction((tx) => jobs.cancel(tx, QUEUE, '1/nothing'));
    expect(await states('1/nothing')).toEqual([]);
  });
});

describe('draining', () => {
  test('aborts handlers with its reason, lets them hand their job back, and takes no other', async () => {
    const jobs = makeJobs();
    const reasons: unknown[] = [];
    const begun: string[] = [];
    await jobs.work(QUEUE, { concurrency: 1 }, async (job) => {
      begun.push(job.key);
      reasons.push(await aborted(job.signal));
      await store.transaction(async (tx) => {
        await job.complete(tx);
        await jobs.enqueue(tx, QUEUE, { key: job.key });
      });
    });
    await jobs.start();
    await enqueue(jobs, '1/first');
    await enqueue(jobs, '1/second');
    // the store says `active` before the handler is called
    await until(async () => begun.includes('1/first'));
    await jobs.drain(10_000);
    expect([reasons, begun]).toEqual([['drain'], ['1/first']]);
    // a worker that had fetched a job when the drain began gives it back
    const waits = expect.stringMatching(/^(created|retry)$/);
    expect(await states('1/first')).toEqual(['completed', waits]);
    expect(await states('1/second')).toEqual([waits]);
    // the API may still answer a trigger while the daemon goes down
    await enqueue(jobs, '1/third');
    expect(await states('1/third')).toEqual(['created']);
  });

  test('gives back the job of a handler that does not end in time', async () => {
    await store.query('DELETE FROM pgboss.job');
    const jobs = makeJobs();
    const { promise: never, resolve } = Promise.withResolvers<void>();
    let hasBegun = false;
    await jobs.work(QUEUE, { concurrency: 1 }, () => {
      hasBegun = true;
      return never;
    });
    await jobs.start();
    await enqueue(jobs, '1/stuck');
    await until(() => hasBegun);
    await jobs.drain(1000);
    expect(await states('1/stuck')).toEqual(['retry']);
    resolve();
  });

  test('of jobs that were never started does nothing', async () => {
    await makeJobs().drain(1000);
  });

  test('is over at once when nothing runs, and twice is once', async () => {
    const jobs = makeJobs();
    await jobs.start();
    const started = performance.now();
    await Promise.all([jobs.drain(30_000), jobs.drain(30_000)]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
