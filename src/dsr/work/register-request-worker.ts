import type { Jobs } from '../../jobs/index.ts';
import { REQUEST_TYPES, type RequestType } from '../request-type.ts';
import { REQUEST_QUEUE, requestOfKey, wakeRequests } from './wake-requests.ts';
import type { WorkDeps } from './work-deps.ts';
import { workRequest } from './work-request.ts';

/** Erasures read and delete in bounded parts; more of them at a time would only take the store from others. */
const CONCURRENCY = 2;
const EACH_MINUTE = '* * * * *';

export interface RequestWorkerSettings {
  /** False: this daemon serves the API only. */
  readonly works: boolean;
  /** Cron, UTC: when access and portability requests begin (rulings §4, State moves). */
  readonly accessCron: string;
}

/** Tells the jobs what starts and carries out requests; any number of daemons share one store. */
export async function registerRequestWorker(
  deps: WorkDeps & { readonly jobs: Jobs },
  { works, accessCron }: RequestWorkerSettings,
): Promise<void> {
  const { store, jobs, clock } = deps;
  const pass = (starts: readonly RequestType[]) => async (_dueAt: Date, signal: AbortSignal) => {
    await wakeRequests(store, jobs, { nowMs: clock.nowMs(), signal, starts });
  };
  await jobs.cadence('dsr-requests', EACH_MINUTE, pass(['erasure']));
  await jobs.cadence('dsr-access', accessCron, pass(REQUEST_TYPES));
  if (!works) return;
  await jobs.work(REQUEST_QUEUE, { concurrency: CONCURRENCY }, ({ key, signal }) =>
    workRequest(deps, requestOfKey(key), signal),
  );
}
