import type { Endpoint, Outgoing } from '../http/index.ts';
import { createTombstoneKeys } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { type Log, type Secret, systemRandom } from '../kernel/index.ts';
import type { CallbackDeps } from './callbacks/callback-deps.ts';
import { callbackEndpoints } from './callbacks/callback-endpoints.ts';
import { sendCallbacks } from './callbacks/send-callbacks.ts';
import { certificateEndpoints } from './certificates/certificate-endpoints.ts';
import type { Processor } from './certificates/create-processor.ts';
import { registerForwarding } from './forwarding/register-forwarding.ts';
import { resultPath } from './result/result-endpoint.ts';
import type { DsrEndpointsDeps } from './routes/dsr-endpoint.ts';
import { dsrEndpoints } from './routes/dsr-endpoints.ts';

export interface DsrOptions extends Omit<DsrEndpointsDeps, 'keys' | 'outgoing' | 'processor' | 'dsr'> {
  readonly identityKey: Secret;
  readonly log: Log;
  readonly outgoing: Outgoing;
  readonly processor: Processor;
  readonly dsr: DsrEndpointsDeps['dsr'] & { readonly callbackMinutes: number };
}

/** The room as the daemon uses it. */
export interface Dsr {
  readonly endpoints: readonly Endpoint[];
  /** Registers the jobs that send callbacks and forward erasures to partners. */
  registerSending(jobs: Jobs): Promise<void>;
}

export function createDsr(options: DsrOptions): Dsr {
  const keys = createTombstoneKeys(options.identityKey);
  const callbacks = callbackDeps(options);
  return {
    endpoints: [
      ...dsrEndpoints({ ...options, keys }),
      ...callbackEndpoints(callbacks),
      ...certificateEndpoints(options.processor),
    ],
    async registerSending(jobs) {
      await registerCallbacks(jobs, callbacks);
      await registerForwarding({ ...options, jobs, random: systemRandom });
    },
  };
}

const MINUTE_MS = 60_000;

/** Registers the cadence of the callback queue. One of all daemons sends it at each whole interval (15 minutes by default). */
async function registerCallbacks(jobs: Pick<Jobs, 'cadence'>, deps: CallbackDeps): Promise<void> {
  const minutes = deps.intervalMs / MINUTE_MS;
  const cron = minutes === 60 ? '0 * * * *' : `*/${minutes} * * * *`;
  await jobs.cadence('dsr-callbacks', cron, (_dueOn, signal) => sendCallbacks(deps, signal));
}

/** Returns the dependencies of callbacks, for the daemon and the replay command. */
export function callbackDeps(
  options: Pick<DsrOptions, 'store' | 'clock' | 'log' | 'outgoing' | 'processor' | 'baseUrl' | 'dsr'>,
): CallbackDeps {
  const { store, clock, log, outgoing, processor, baseUrl, dsr } = options;
  return {
    store,
    clock,
    log,
    outgoing,
    processor,
    resultsUrl: (requestId) => `${baseUrl()}${resultPath(requestId)}`,
    intervalMs: dsr.callbackMinutes * MINUTE_MS,
  };
}
