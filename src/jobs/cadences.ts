import type { PgBoss } from 'pg-boss';
import { asAppError, type Clock, type Log } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import { CADENCE_QUEUE, declareCadence, pollCadences } from './poll-cadences.ts';
import type { Worker } from './work-queue.ts';

const POLL_EVERY_MS = 1000;
/** Least seconds between two polls of the queue by one daemon, all its places together. */
const SECONDS_BETWEEN_POLLS = 2.5;
const LEAST_POLL_SECONDS = 5;

export type CadenceHandler = (dueAt: Date, signal: AbortSignal) => Promise<void>;

export interface Cadences {
  readonly worker: Worker;
  add(name: string, cron: string, handler: CadenceHandler): Promise<void>;
  /** Begins to poll. */
  start(): Promise<void>;
  /** Resolves when polling has ended. */
  ended(): Promise<void>;
}

interface CadencesOptions {
  readonly store: Store;
  readonly boss: PgBoss;
  readonly clock: Clock;
  readonly log: Log;
  readonly stop: AbortSignal;
}

/** Creates the cadences of this daemon. It polls only those that it has handlers for: another version may know others. */
export function createCadences({ store, boss, clock, log, stop }: CadencesOptions): Cadences {
  const crons = new Map<string, string>();
  const handlers = new Map<string, CadenceHandler>();
  let polling: Promise<void> | undefined;
  const now = () => new Date(clock.nowMs());

  const poll = async (): Promise<void> => {
    while (!stop.aborted) {
      await pollCadences({ store, boss }, new Set(crons.keys()), now()).catch((error: unknown) => {
        log.warn({ reason: asAppError(error).message }, 'cadences.poll_failed');
      });
      await clock.sleep(POLL_EVERY_MS, stop).catch(() => undefined);
    }
  };

  return {
    worker: {
      queue: CADENCE_QUEUE,
      /** One place for each: a handler never runs beside itself, so one that takes hours delays no other. */
      get concurrency() {
        return handlers.size;
      },
      get pollSeconds() {
        return Math.max(LEAST_POLL_SECONDS, Math.ceil(SECONDS_BETWEEN_POLLS * handlers.size));
      },
      async handle({ key, signal }, { dueAt }) {
        const handler = handlers.get(key.slice(key.indexOf('/') + 1));
        if (handler === undefined) throw new Error(`No handler for ${key} in this version.`);
        await handler(new Date(dueAt ?? clock.nowMs()), signal);
      },
    },
    async add(name, cron, handler) {
      handlers.set(name, handler);
      crons.set(name, cron);
      if (polling !== undefined) await declareCadence(store, name, { cron, now: now() });
    },
    async start() {
      for (const [name, cron] of crons) await declareCadence(store, name, { cron, now: now() });
      polling = poll();
    },
    ended: () => polling ?? Promise.resolve(),
  };
}
