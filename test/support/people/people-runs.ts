import { afterEach, beforeEach } from 'vitest';
import type { Run, SyncMode } from '../../../src/pipelines/index.ts';
import { cancelRun } from '../../../src/runs/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { Column } from '../../../src/warehouse/index.ts';
import { type HandClock, handClock } from '../clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../fakes/fake-warehouse.ts';
import {
  type DaemonOptions,
  readPipeline,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
  WORKSPACE,
} from '../runs/test-engine.ts';
import { openTestStore } from '../stores/test-store.ts';

export const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });

export const COLUMNS: readonly Column[] = [
  ...[text('email'), text('city')],
  { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' },
];

export const people = (count: number, at = '2026-01-15T11:00:00.000000Z') =>
  Array.from({ length: count }, (_, i) => [`p${i}@example.org`, `City ${i}`, at]);

export const INCREMENTAL: SyncMode = {
  type: 'incremental',
  iterator: { field: 'at', type: 'timestamp_tz', declaredType: 'timestamp_tz' },
};

/** A store, a warehouse of people and one daemon, whose clock stands at 2026-01-15T12:00:00Z. */
export interface PeopleRuns {
  readonly store: Store;
  readonly clock: HandClock;
  readonly warehouse: FakeWarehouse;
  readonly daemon: TestDaemon;
  /** Triggers the pipeline `people` and waits until its run has one of the statuses. */
  run(...statuses: Run['status'][]): Promise<Run>;
  /** A second daemon on the same store. */
  startAnother(settings?: DaemonOptions['settings']): Promise<TestDaemon>;
  cancel(runId: bigint): Promise<boolean>;
  countProfiles(): Promise<bigint | undefined>;
}

/** Anew for each test of the file. */
export function peopleRuns(): PeopleRuns {
  const it: { -readonly [Name in keyof PeopleRuns]?: PeopleRuns[Name] } = {};
  const here = it as PeopleRuns;
  beforeEach(async () => {
    it.clock = handClock();
    it.store = await openTestStore();
    it.warehouse = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => here.clock.nowMs() });
    it.daemon = await here.startAnother();
  });
  afterEach(async () => {
    await here.daemon[Symbol.asyncDispose]();
    await here.store[Symbol.asyncDispose]();
  });
  it.startAnother = ({ ...settings } = {}) => {
    const { store, clock, warehouse } = here;
    return startDaemon({ store, clock, connector: warehouse.connector, settings });
  };
  it.run = async (...statuses) => {
    const { daemon, store, clock } = here;
    const id = await trigger(daemon, store, { pipeline: await readPipeline(store), nowMs: clock.nowMs() });
    return await untilRun(store, id, ...statuses);
  };
  it.cancel = (runId) =>
    here.store.transaction((tx) =>
      cancelRun(tx, here.daemon.jobs, { workspaceId: WORKSPACE, runId, nowMs: here.clock.nowMs() }),
    );
  it.countProfiles = async () => {
    const [row] = await here.store.query<{ n: bigint }>('SELECT count(*) AS n FROM profiles');
    return row?.n;
  };
  return here;
}
