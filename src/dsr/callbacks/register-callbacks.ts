import type { Jobs } from '../../jobs/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { sendCallbacks } from './send-callbacks.ts';

const MINUTE_MS = 60_000;

/** The queue goes out at each whole interval (001, Limits: 15 minutes), of all daemons by one. */
export async function registerCallbacks(jobs: Pick<Jobs, 'cadence'>, deps: CallbackDeps): Promise<void> {
  const minutes = deps.intervalMs / MINUTE_MS;
  const cron = minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`;
  await jobs.cadence('dsr-callbacks', cron, (_dueOn, signal) => sendCallbacks(deps, signal));
}
