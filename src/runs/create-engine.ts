import { asAppError, eachApart } from '../kernel/index.ts';
import { putBackSchedules, RUN_QUEUE } from '../pipelines/index.ts';
import { createPlaces } from './lifecycle/places.ts';
import { createScheduler } from './lifecycle/schedule-runs.ts';
import { sweepRuns, wakeDeferredRuns } from './lifecycle/sweep-runs.ts';
import { workRun } from './lifecycle/work-run.ts';
import type { RunsDeps } from './runs-deps.ts';
import { cleanUpTables } from './write-back/clean-up-tables.ts';

const POLL_MS = 1000;
const SWEEP_CRON = '* * * * *';
const CLEAN_UP_CRON = '41 * * * *';
const PUT_BACK_CRON = '23 * * * *';

export interface Engine {
  /** Registers the jobs of the worker and the sweeper. Call before the jobs start. */
  register(): Promise<void>;
  /** Starts polling once a second for due work. Call after the jobs have started. */
  start(): void;
  /** Polls once. */
  poll(): Promise<void>;
  /** Cleans up warehouses once (`cleanUpTables`). The daemon does so at its start and every hour. */
  cleanUp(): Promise<void>;
  /** Stops scheduling; no run is scheduled once it resolves. The drain of the jobs stops active runs. */
  stop(): Promise<void>;
}

/** Creates the worker and scheduler of this daemon. Any number of daemons share one store. */
export function createEngine(deps: RunsDeps): Engine {
  const { store, jobs, clock, log } = deps;
  const stopping = new AbortController();
  const places = createPlaces(deps.settings.workers);
  let polling: Promise<void> = Promise.resolve();
  const looks = [createScheduler(deps), (nowMs: number) => wakeDeferredRuns(store, jobs, nowMs)];
  const poll = async () => {
    const nowMs = clock.nowMs();
    await eachApart(looks, (look) => look(nowMs));
  };
  let cleaning: Promise<void> = Promise.resolve();
  const cleanUp = () => cleanUpTables(deps, stopping.signal);
  // the scheduler faults a schedule that cannot be read, so the next look may wait an hour
  const putBack = (signal: AbortSignal) =>
    putBackSchedules(store, { nowMs: clock.nowMs(), signal }).catch((thrown) =>
      log.warn({ err: asAppError(thrown) }, 'schedules.not_put_back'),
    );
  return {
    poll,
    cleanUp,
    async register() {
      const { workers } = deps.settings;
      await jobs.cadence('sweep-runs', SWEEP_CRON, (_dueAt, signal) => sweepRuns(deps, signal));
      await jobs.cadence('put-back-schedules', PUT_BACK_CRON, (_dueAt, signal) => putBack(signal));
      if (workers === 0) return;
      await jobs.cadence('care-for-tables', CLEAN_UP_CRON, (_dueAt, signal) => cleanUpTables(deps, signal));
      await jobs.work(RUN_QUEUE, { concurrency: workers }, (job) => workRun(deps, places, job));
    },
    start() {
      polling = pollUntil(deps, poll, stopping.signal);
      if (deps.settings.workers > 0)
        cleaning = cleanUp().catch((thrown) => log.warn({ err: asAppError(thrown) }, 'care.failed'));
    },
    async stop() {
      stopping.abort();
      await Promise.all([polling, cleaning]);
    },
  };
}

/** Polls until the signal is aborted, also while the store does not answer. The log reports each outage once. */
async function pollUntil({ clock, log }: RunsDeps, poll: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let isFailing = false;
  while (!signal.aborted) {
    try {
      await poll();
      isFailing = false;
    } catch (thrown) {
      if (!isFailing) log.error({ err: asAppError(thrown) }, 'scheduler.failed');
      isFailing = true;
    }
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}
