import type { Jobs } from '../../jobs/index.ts';
import { REQUEST_TYPES, type RequestType } from '../request-type.ts';
import { enqueueDueRequests, parseRequestJobKey, REQUEST_QUEUE } from './enqueue-due-requests.ts';
import { executeRequest } from './execute-request.ts';
import { createSharedScans } from './shared-scans.ts';
import { createTurns } from './turns.ts';
import type { WorkDeps } from './work-deps.ts';

/** Requests under way at the same time in one daemon. Most of them wait for their workspace's next shared scan. */
export const REQUESTS_AT_ONCE = 16;
/** Requests that read and delete at the same time; more would only take the store from other work. */
const TURNS_AT_ONCE = 2;
/** Poll interval of each slot of the queue; together the slots query the store once a second. */
const POLL_SECONDS = 16;
const EACH_MINUTE = '* * * * *';

export interface RequestWorkerSettings {
  /** Set where this daemon carries out requests; else it only serves the API. */
  readonly works: boolean;
  /** Cron in UTC at which access and portability requests start (D-057). */
  readonly accessCron: string;
}

type TurnsAndScans = Pick<WorkDeps, 'takeTurn' | 'joinScan'>;

/** Creates the turns and shared scans of a process. */
export function createTurnsAndScans(): TurnsAndScans {
  const takeTurn = createTurns(TURNS_AT_ONCE);
  return { takeTurn, joinScan: createSharedScans(takeTurn) };
}

/** Registers the jobs that start and carry out requests. Any number of daemons may share one store. */
export async function registerRequestWorker(
  given: Omit<WorkDeps, keyof TurnsAndScans> & { readonly jobs: Jobs },
  { works, accessCron }: RequestWorkerSettings,
): Promise<void> {
  const { store, jobs, clock } = given;
  const pass = (starts: readonly RequestType[]) => async (_dueAt: Date, signal: AbortSignal) => {
    await enqueueDueRequests(store, jobs, { nowMs: clock.nowMs(), signal, starts });
  };
  await jobs.cadence('dsr-requests', EACH_MINUTE, pass(['erasure']));
  await jobs.cadence('dsr-access', accessCron, pass(REQUEST_TYPES));
  if (!works) return;
  const deps = { ...given, ...createTurnsAndScans() };
  const options = { concurrency: REQUESTS_AT_ONCE, pollSeconds: POLL_SECONDS };
  await jobs.work(REQUEST_QUEUE, options, ({ key, signal }) => executeRequest(deps, parseRequestJobKey(key), signal));
}
