// Several pipelines on two connections, worked job by job: what a test lets happen between two chunks of one run may be
// anything that people, servers, the scheduler or other workers do.
import { AsyncLocalStorage } from 'node:async_hooks';
import { enqueueDueRequests, parseRequestJobKey, REQUEST_QUEUE } from '../../../src/dsr/work/enqueue-due-requests.ts';
import { executeRequest } from '../../../src/dsr/work/execute-request.ts';
import { createEvents } from '../../../src/events/index.ts';
import type { Caller } from '../../../src/http/index.ts';
import { createTombstones } from '../../../src/identity/index.ts';
import { createLog, systemClock, type WorkspaceId, workspaceId } from '../../../src/kernel/index.ts';
import type { PipelinesDeps } from '../../../src/pipelines/index.ts';
import { isLedgerAhead } from '../../../src/runs/index.ts';
import { createPlaces } from '../../../src/runs/lifecycle/places.ts';
import { createScheduler } from '../../../src/runs/lifecycle/schedule-runs.ts';
import { sweepRuns, wakeDeferredRuns } from '../../../src/runs/lifecycle/sweep-runs.ts';
import { workRun } from '../../../src/runs/lifecycle/work-run.ts';
import type { RunsDeps } from '../../../src/runs/runs-deps.ts';
import type { Store } from '../../../src/store/index.ts';
import { addWorkspace } from '../apis/add-workspace.ts';
import { workDeps } from '../apis/dsr-work.ts';
import { always, EMAIL, fromColumn } from '../batches/map-events.ts';
import { type HandClock, handClock } from '../clocks/hand-clock.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';
import { INCREMENTAL } from '../people/people-runs.ts';
import { addPipeline, IDENTITY_KEY, type PipelineSpec, TEST_KEY_RING } from '../runs/test-engine.ts';
import { type JobList, jobList, type TakenJob } from './job-list.ts';
import { type PairedWarehouse, pairedWarehouse } from './paired-warehouse.ts';
import { recordedIdentities } from './recorded-identities.ts';

const START_MS = Date.UTC(2026, 0, 15, 12);
const HOURLY = { type: 'interval', frequency: 'hourly', start: '2026-01-15T10:00:00Z' } as const;

export type Planned = Required<Pick<PipelineSpec, 'id' | 'connectionId' | 'syncMode' | 'schedule'>> &
  Pick<PipelineSpec, 'mappings'>;

/** Each row is an event of its person. */
const MAPPINGS = [
  ...[always('custom_event', 'events.event_type'), always('other', 'events.data.custom_event_type')],
  ...[always('seen', 'events.data.event_name'), EMAIL, fromColumn('city', 'events.data.custom_attributes.city')],
];

export const PLANNED: readonly Planned[] = [
  { id: 'asked', connectionId: 'left', syncMode: INCREMENTAL, schedule: { type: 'on_demand' } },
  { id: 'hourly', connectionId: 'left', syncMode: INCREMENTAL, schedule: HOURLY },
  { id: 'once', connectionId: 'right', syncMode: { type: 'full' }, schedule: { type: 'once' } },
  { id: 'beside', connectionId: 'right', syncMode: INCREMENTAL, schedule: HOURLY },
  { id: 'events', connectionId: 'right', syncMode: INCREMENTAL, schedule: HOURLY, mappings: MAPPINGS },
];
export const CONNECTIONS = ['left', 'right'];

/** One worker's life. */
interface Life {
  isDead: boolean;
  /** Statements and transactions that it has left; undefined: nobody counts. */
  left?: number | undefined;
}

class Killed extends Error {}

export interface PairedWorld {
  readonly store: Store;
  readonly clock: HandClock;
  readonly warehouse: PairedWarehouse;
  readonly deps: RunsDeps & PipelinesDeps;
  readonly list: JobList;
  caller: Caller;
  /** A workspace of its own; what is left of the one before never runs again. */
  begin(): Promise<WorkspaceId>;
  /** After so many statements the next worker of a data subject request dies. */
  requestDiesAfter: number | undefined;
  /** One look of the scheduler, and one for data subject requests that are due. */
  poll(): Promise<void>;
  /** One look of the net below everything. */
  sweep(): Promise<void>;
  /** Works the oldest job that is due to its end; false: there is none. */
  work(): Promise<boolean>;
  /** Ends the worker in whose hands the caller is, as a kill does. */
  kill(): never;
}

export async function pairedWorld(store: Store): Promise<PairedWorld> {
  const clock = handClock(START_MS);
  const warehouse = pairedWarehouse(clock);
  const list = jobList(clock);
  const lives = new AsyncLocalStorage<Life>();
  const deps = await depsOf({ store, clock, warehouse, list });
  const places = createPlaces(deps.settings.workers);
  const schedule = createScheduler(deps);
  const tombstones = createTombstones(IDENTITY_KEY);
  const requestDeps = (mortal: Store) => workDeps(mortal, deps.clock, { identityKey: IDENTITY_KEY, tombstones });
  let workspaces = 100n;
  const world: PairedWorld = {
    ...{ store, clock, warehouse, deps, list, caller: { workspaceId: workspaceId(1n), actor: 'nobody' } },
    requestDiesAfter: undefined,
    async begin() {
      world.caller = { workspaceId: workspaceId(workspaces++), actor: 'someone' };
      await beginWorkspace(world);
      return world.caller.workspaceId;
    },
    async poll() {
      await schedule(clock.nowMs());
      await wakeDeferredRuns(store, list.jobs, clock.nowMs());
      const { signal } = new AbortController();
      await enqueueDueRequests(store, list.jobs, { nowMs: clock.nowMs(), signal, starts: ['access', 'erasure'] });
    },
    sweep: () => sweepRuns(deps, new AbortController().signal),
    async work() {
      const taken = list.take();
      if (taken === undefined) return false;
      const { job } = taken;
      const isRequest = job.queue === REQUEST_QUEUE;
      const life: Life = { isDead: false, left: isRequest ? world.requestDiesAfter : undefined };
      if (isRequest) world.requestDiesAfter = undefined;
      const mortal = mortalStore(store, life);
      const workOnce = () =>
        isRequest
          ? executeRequest(requestDeps(mortal), parseRequestJobKey(job.key), job.signal)
          : workRun({ ...deps, store: mortal }, places, job);
      await lives.run(life, () => workUntilDeath(taken, life, workOnce));
      return true;
    },
    kill() {
      const life = lives.getStore();
      if (life !== undefined) life.isDead = true;
      throw new Killed('The worker was killed.');
    },
  };
  return world;
}

async function depsOf({
  store,
  clock,
  warehouse,
  list,
}: Pick<PairedWorld, 'store' | 'clock' | 'warehouse' | 'list'>): Promise<PairedWorld['deps']> {
  const identities = await recordedIdentities(store, clock);
  const settings = {
    workers: 3,
    workspaceRuns: 4,
    connectionRuns: 1,
    chunkRows: 3,
    runAttempts: 4,
    runHoldMs: 86_400_000,
  };
  return {
    ...{ store, jobs: list.jobs, identities, settings, keyRing: TEST_KEY_RING, ledgerKey: IDENTITY_KEY },
    // who sleeps does not wait for the hand that moves the clock
    clock: { nowMs: clock.nowMs, sleep: systemClock.sleep },
    events: createEvents({ identities, clock }),
    ceilings: {},
    fleet: { DuckDB: warehouse.connector },
    connectorEnvironment: () => warehouseEnvironment(),
    random: () => 0.5,
    log: createLog(process.env.TEST_LOG ?? 'silent'),
    observer: { runEnded: () => undefined, rowsDelivered: () => undefined },
    warehouseWaitMs: 60_000,
    isLedgerAhead,
  };
}

async function workUntilDeath(taken: TakenJob, life: Life, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!life.isDead) throw error;
  }
  if (life.isDead) taken.lose();
  else taken.finish();
}

/** Nothing of a dead worker's reaches the store. */
function mortalStore(store: Store, life: Life): Store {
  const requireLife = (): undefined => {
    if (life.left !== undefined && life.left-- <= 0) life.isDead = true;
    if (life.isDead) throw new Killed('The worker is dead.');
  };
  return Object.create(store, {
    query: { value: async (...given: Parameters<Store['query']>) => requireLife() ?? (await store.query(...given)) },
    execute: {
      value: async (...given: Parameters<Store['execute']>) => requireLife() ?? (await store.execute(...given)),
    },
    transaction: {
      value: async (...[work, options]: Parameters<Store['transaction']>) => {
        requireLife();
        return await store.transaction(async (tx) => {
          const result = await work(tx);
          requireLife();
          return result;
        }, options);
      },
    },
  });
}

async function beginWorkspace({ store, clock, warehouse, list, caller }: PairedWorld): Promise<void> {
  await store.execute('UPDATE pipelines SET next_due_at = NULL');
  await store.execute("UPDATE pipeline_runs SET status = 'stopped', retry_at = NULL WHERE ended_on IS NULL");
  await store.execute('UPDATE dsr_requests SET next_attempt_on = NULL');
  list.clear();
  clock.set(START_MS);
  warehouse.gate = async () => undefined;
  const { workspaceId: workspace } = caller;
  await addWorkspace(store, workspace);
  for (const id of CONNECTIONS) warehouse.servers.set(id, { password: 'first', isAway: false });
  for (const planned of PLANNED) {
    const config = { database: planned.connectionId, password: 'first' };
    const sqlQuery = `SELECT * FROM ${planned.id}`;
    await addPipeline(store, { workspace, ...planned, config, sqlQuery, nextDueAtMs: START_MS });
    warehouse.tables.set(planned.id, []);
  }
}
