import type { Jobs } from '../../jobs/index.ts';
import type { CallbackDeps } from './callback-deps.ts';
import { sendCallbacks } from './send-callbacks.ts';

const MINUTE_MS = 60_000;

/** Registers the cadence of the callback queue. One of all daemons sends it at each whole interval (15 minutes by default). */
export async function registerCallbacks(jobs: Pick<Jobs, 'cadence'>, deps: CallbackDeps): Promise<void> {
  const minutes = deps.intervalMs / MINUTE_MS;
  const cron = minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`;
  await jobs.cadence('dsr-callbacks', cron, (_dueOn, signal) => sendCallbacks(deps, signal));
}
