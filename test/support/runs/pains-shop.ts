// One pipeline over a real warehouse, in runs that end where the test says.
import { instantFromStore, type Micros } from '../../../src/kernel/index.ts';
import type { Notice, Pipeline, SyncMode } from '../../../src/pipelines/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { handClock } from '../clocks/hand-clock.ts';
import type { RealWarehouse } from '../fakes/real-warehouses.ts';
import { openTestStore } from '../stores/test-store.ts';
import {
  addPipeline,
  countsOf,
  type PipelineSpec,
  readPipeline,
  readRuns,
  startDaemon,
  trigger,
  untilRun,
} from './test-engine.ts';

export interface RunCounts {
  readonly extracted: number;
  readonly successful: number;
  readonly failed: number;
  readonly deduplicated: number;
  readonly warnings: readonly Notice[];
}

export interface PainsShop extends AsyncDisposable {
  readonly store: Store;
  readonly warehouse: RealWarehouse;
  /** A pipeline over `SELECT id AS customer_id, changed_at FROM rows_read`. */
  define(syncMode: SyncMode, spec?: Partial<PipelineSpec>): Promise<Pipeline>;
  pipeline(): Promise<Pipeline>;
  /** Triggers at that time and answers what the run counted. */
  runUntil(time: string): Promise<RunCounts>;
  /** The scheduler looks at that time; the runs that it makes, once they are over. */
  pollAt(time: string): Promise<readonly RunCounts[]>;
  /** customer_id of everybody who arrived, sorted. */
  arrived(): Promise<readonly string[]>;
  micros(time: string): Micros;
}

const MODEL = 'SELECT id AS customer_id, changed_at FROM rows_read';

export async function openShop(warehouse: RealWarehouse): Promise<PainsShop> {
  const { connector, config, folder } = warehouse;
  const store = await openTestStore();
  const clock = handClock();
  const daemon = await startDaemon({ store, clock, connector, folder });
  const countsById = async (id: bigint): Promise<RunCounts> => {
    const run = await untilRun(store, id, 'success');
    const [extracted = 0, successful = 0, failed = 0, deduplicated = 0] = countsOf(run);
    return { extracted, successful, failed, deduplicated, warnings: run.warnings };
  };
  return {
    ...{ store, warehouse, micros: instantFromStore },
    define: (syncMode, spec = {}) =>
      addPipeline(store, { provider: connector.provider, config, sqlQuery: MODEL, syncMode, ...spec }),
    pipeline: () => readPipeline(store),
    async runUntil(time) {
      clock.set(Date.parse(time));
      return countsById(await trigger(daemon, store, { pipeline: await readPipeline(store), nowMs: clock.nowMs() }));
    },
    async pollAt(time) {
      const before = (await readRuns(store)).length;
      clock.set(Date.parse(time));
      await daemon.engine.poll();
      const made = (await readRuns(store)).slice(before);
      return Promise.all(made.map(({ id }) => countsById(id)));
    },
    async arrived() {
      const rows = await store.query<{ identities: string }>('SELECT identities FROM profiles');
      return rows.map(({ identities }) => (JSON.parse(identities) as [[string, string]])[0][1]).sort();
    },
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    },
  };
}
