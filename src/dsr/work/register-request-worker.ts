import type { Jobs } from '../../jobs/index.ts';
import { REQUEST_TYPES, type RequestType } from '../request-type.ts';
import { createSharedLooks } from './shared-looks.ts';
import { createTurns } from './turns.ts';
import { REQUEST_QUEUE, requestOfKey, wakeRequests } from './wake-requests.ts';
import type { WorkDeps } from './work-deps.ts';
import { workRequest } from './work-request.ts';

/** Requests that are under way in one daemon; most of them wait for the next look of their workspace, which they share. */
export const REQUESTS_AT_ONCE = 16;
/** Those of them that read and delete: more at a time would only take the store from others. */
const TURNS_AT_ONCE = 2;
/** Each place of the queue polls by itself; together they ask the store once a second. */
const POLL_SECONDS = 16;
const EACH_MINUTE = '* * * * *';

export interface RequestWorkerSettings {
  /** False: this daemon serves the API only. */
  readonly works: boolean;
  /** Cron in UTC: when access and portability requests start (D-057). */
  readonly accessCron: string;
}

type Sharing = Pick<WorkDeps, 'takeTurn' | 'shareLook'>;

/** One for a process. */
export function createSharing(): Sharing {
  const takeTurn = createTurns(TURNS_AT_ONCE);
  return { takeTurn, shareLook: createSharedLooks(takeTurn) };
}

/** Tells the jobs what starts and carries out requests; any number of daemons share one store. */
export async function registerRequestWorker(
  given: Omit<WorkDeps, keyof Sharing> & { readonly jobs: Jobs },
  { works, accessCron }: RequestWorkerSettings,
): Promise<void> {
  const { store, jobs, clock } = given;
  const pass = (starts: readonly RequestType[]) => async (_dueAt: Date, signal: AbortSignal) => {
    await wakeRequests(store, jobs, { nowMs: clock.nowMs(), signal, starts });
  };
  await jobs.cadence('dsr-requests', EACH_MINUTE, pass(['erasure']));
  await jobs.cadence('dsr-access', accessCron, pass(REQUEST_TYPES));
  if (!works) return;
  const deps = { ...given, ...createSharing() };
  const options = { concurrency: REQUESTS_AT_ONCE, pollSeconds: POLL_SECONDS };
  await jobs.work(REQUEST_QUEUE, options, ({ key, signal }) => workRequest(deps, requestOfKey(key), signal));
}
