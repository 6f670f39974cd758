import { PgBoss, type Queue } from 'pg-boss';
import type { Clock, Log } from '../kernel/index.ts';

/** pg-boss keeps its tables in a schema of its own and migrates them itself. */
export const BOSS_SCHEMA = 'pgboss';

const DAY_SECONDS = 86_400;
const REPORT_EVERY_MS = 30_000;

/** Time after its last heartbeat at which a worker counts as dead; pg-boss allows no less. */
const HEARTBEAT_SECONDS = 10;
const SUPERVISE_SECONDS = 2;

export const WORK_OPTIONS = {
  batchSize: 1,
  /** Seconds between refreshes, each of which also checks whether the job is still ours and so notices a cancellation. */
  heartbeatRefreshSeconds: 1,
  /** NOTIFY wakes a worker at once. Polling finds retries, delayed jobs and whatever a broken listener misses. */
  pollingIntervalSeconds: 2,
} as const;

export const QUEUE_OPTIONS = {
  // the engine's runs last longer than pg-boss's default of 15 minutes
  expireInSeconds: DAY_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  // without limit, for attempts are counted on the rows the jobs stand for
  retryLimit: 2 ** 31 - 1,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 15,
  // a job waits as long as the installation is switched off
  retentionSeconds: 365 * DAY_SECONDS,
  deleteAfterSeconds: 600,
  notify: true,
} as const satisfies Omit<Queue, 'name'>;

export interface BossOptions {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  /** A command sends jobs and ends, so it maintains no queue. */
  readonly sendsOnly?: boolean;
}

/** Creates a pg-boss that is not started yet. It keeps running while the store is away, and logs that from time to time. */
export function createBoss({ databaseUrl, clock, log, sendsOnly = false }: BossOptions): PgBoss {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'penstock jobs',
    schema: BOSS_SCHEMA,
    max: 4,
    useListenNotify: !sendsOnly,
    supervise: !sendsOnly,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 300,
    // each pass of the supervisor would ask for it: a tenth of what an idle daemon costs
    monitorVacuum: false,
    // what we do not use: its schedules, flows, registry of instances and traces
    schedule: false,
    flowIntervalSeconds: DAY_SECONDS,
    registerInstance: false,
    openTelemetry: { enabled: false },
  });
  const report = seldom(clock, (reason: string) => log.warn({ reason }, 'jobs.error'));
  boss.on('error', (error) => report(error.message));
  boss.on('warning', ({ message }) => log.warn({ reason: message }, 'jobs.warning'));
  return boss;
}

/** Limits how often errors are logged: while the store is away every poll fails, and one line in a while suffices. */
function seldom(clock: Clock, write: (reason: string) => void): (reason: string) => void {
  let silentUntilMs = 0;
  return (reason) => {
    if (clock.nowMs() < silentUntilMs) return;
    silentUntilMs = clock.nowMs() + REPORT_EVERY_MS;
    write(reason);
  };
}
