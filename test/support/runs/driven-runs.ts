import { afterEach, beforeEach } from 'vitest';
import type { Identities } from '../../../src/identity/index.ts';
import type { AppError } from '../../../src/kernel/index.ts';
import { type Run, requestRun } from '../../../src/pipelines/index.ts';
import type { ClaimedRun } from '../../../src/runs/lifecycle/claim-run.ts';
import type { Store } from '../../../src/store/index.ts';
import { type HandClock, handClock } from '../clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../fakes/fake-warehouse.ts';
import { COLUMNS } from '../people/people-runs.ts';
import { openTestStore } from '../stores/test-store.ts';
import { createRunDriver, type RunDriver } from './run-driver.ts';
import { readPipeline, readRun, WORKSPACE } from './test-engine.ts';

/** Runs of the pipeline `people`, attempt by attempt, in chunks of two rows; it is 2026-01-15T12:00:00Z. */
export interface DrivenRuns {
  readonly store: Store;
  readonly clock: HandClock;
  readonly warehouse: FakeWarehouse;
  readonly driver: RunDriver;
  request(): Promise<bigint>;
  claim(runId: bigint): Promise<ClaimedRun>;
  /** One attempt, of a new run unless told otherwise; `gate` is met before each chunk but the first. */
  attempt(gate?: FakeWarehouse['gate'], runId?: bigint): Promise<Run>;
  /** Times that each e-mail address was delivered. */
  arrivals(): Promise<Readonly<Record<string, number>>>;
  failAt(chunk: number, error: AppError): FakeWarehouse['gate'];
  killAt(chunk: number): FakeWarehouse['gate'];
}

/** Anew for each test of the file; with real people where `identities` makes them. */
export function drivenRuns(identities?: (clock: HandClock) => Identities): DrivenRuns {
  const it: { -readonly [Name in keyof DrivenRuns]?: DrivenRuns[Name] } = {};
  const here = it as DrivenRuns;
  beforeEach(async () => {
    it.clock = handClock();
    it.store = await openTestStore();
    it.warehouse = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => here.clock.nowMs() });
    const real = identities?.(here.clock);
    it.driver = await createRunDriver({ ...here, chunkRows: 2, ...(real !== undefined && { identities: real }) });
  });
  afterEach(() => here.store[Symbol.asyncDispose]());
  return Object.assign(it, {
    async request() {
      const { store, clock, driver } = here;
      const nowMs = clock.nowMs();
      const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
      const pipeline = await readPipeline(store);
      const id = await store.transaction((tx) =>
        requestRun(tx, driver.deps.jobs, { pipeline, type: 'manual', ...times }),
      );
      return id ?? 0n;
    },
    async claim(runId) {
      const claimed = await here.driver.claim(WORKSPACE, runId);
      if (claimed === undefined) throw new Error('The run cannot be claimed.');
      return claimed;
    },
    async attempt(gate = async () => undefined, runId) {
      const id = runId ?? (await here.request());
      here.warehouse.gate = gate;
      await here.driver.attempt(await here.claim(id));
      return await readRun(here.store, id);
    },
    arrivals: async () => Object.fromEntries(await here.driver.delivered(WORKSPACE)),
    failAt: (chunk, error) => async (read) => {
      if (read === chunk) throw error;
    },
    killAt: (chunk) => async (read) => {
      if (read === chunk) here.driver.kill();
    },
  } satisfies Partial<DrivenRuns>) as DrivenRuns;
}
