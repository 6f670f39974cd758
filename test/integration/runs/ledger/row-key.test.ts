// Another row_key while rows that were delivered still have to be recognised.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../../../src/http/index.ts';
import { AppError, formatMicros } from '../../../../src/kernel/index.ts';
import type { PipelinesDeps } from '../../../../src/pipelines/index.ts';
import { createPipeline } from '../../../../src/pipelines/pipelines/create-pipeline.ts';
import type { Body } from '../../../../src/pipelines/pipelines/pipeline-draft.ts';
import { replacePipeline } from '../../../../src/pipelines/pipelines/replace-pipeline.ts';
import { isLedgerAhead } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { saveVisits } from '../../../support/batches/visits.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { warehouseEnvironment } from '../../../support/fakes/warehouse-environment.ts';
import { text } from '../../../support/people/people-runs.ts';
import {
  readPipeline,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
  WORKSPACE,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const caller: Caller = { workspaceId: WORKSPACE, actor: 'tester' } as Caller;
const clock = handClock();
const body: Body = {
  ...{ id: 'visits', name: 'Visits', pipeline_type: 'events', field_transformation_id: 'visits' },
  ...{ connection_id: 'visits', data_model_id: 'visits', state: 'active', environment: 'production' },
  sync_mode: { type: 'incremental', iterator_field: 'at', iterator_data_type: 'timestamp' },
  schedule: { type: 'on_demand' },
};
const keyed: Body = { ...body, row_key: ['hour'] };

let store: Store;
let warehouse: FakeWarehouse;
let daemon: TestDaemon;
let deps: PipelinesDeps;

beforeEach(async () => {
  store = await openTestStore();
  warehouse = fakeWarehouse({
    columns: [text('customer_id'), text('hour'), { name: 'at', type: 'timestamp_tz', nativeType: 'TIMESTAMPTZ' }],
    // more than a chunk
    rows: Array.from({ length: 150 }, () => ['c-1', '8', '2026-01-15T08:00:00.000000Z']),
    iterator: 'at',
    nowMs: clock.nowMs,
  });
  daemon = await startDaemon({ store, clock, connector: warehouse.connector });
  deps = {
    ...{ store, jobs: daemon.jobs, clock, keyRing: testKeyRing(), fleet: { DuckDB: warehouse.connector } },
    ...{ connectorEnvironment: () => warehouseEnvironment({}), warehouseWaitMs: 5000, isLedgerAhead, ceilings: {} },
  };
  await saveVisits(deps, caller);
});
afterEach(async () => {
  await daemon[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const put = (changed: Body, preventResets: boolean) =>
  replacePipeline(deps, caller, { id: 'visits', body: changed, preventResets });
const generation = async () => (await readPipeline(store, { id: 'visits' })).generation;

async function begin(): Promise<bigint> {
  const pipeline = await readPipeline(store, { id: 'visits' });
  return await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() });
}

test('another row_key is refused while a run is live, and no reset once it has succeeded', async () => {
  await createPipeline(deps, caller, { body });
  const { promise, resolve } = Promise.withResolvers<void>();
  warehouse.gate = () => promise;
  const id = await begin();
  await expect(put(keyed, false)).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' });
  await put(body, true);
  resolve();
  await untilRun(store, id, 'success');
  await put(keyed, true);
  expect(await generation()).toBe(0);
});

test('another row_key of a full pipeline is not refused while a run is live, which keeps its own', async () => {
  await createPipeline(deps, caller, { body: { ...body, sync_mode: { type: 'full' } } });
  const { promise, resolve } = Promise.withResolvers<void>();
  warehouse.gate = () => promise;
  const id = await begin();
  await put({ ...keyed, sync_mode: { type: 'full' } }, true);
  resolve();
  await untilRun(store, id, 'success');
});

test('another row_key is a reset after a run that failed halfway, whose rows would not be recognised', async () => {
  await createPipeline(deps, caller, { body });
  warehouse.gate = async () => {
    throw new AppError('WAREHOUSE_DATA', 'Division by zero.');
  };
  await untilRun(store, await begin(), 'failed');
  warehouse.gate = async () => undefined;
  await expect(put(keyed, true)).rejects.toThrow('row_key: this change resets the pipeline');
  await put({ ...body, name: 'Renamed' }, true);
  await put(keyed, false);
  expect(await generation()).toBe(1);
  await put(body, true);
  await untilRun(store, await begin(), 'success');
  await put(keyed, true);
  expect(await generation()).toBe(1);
});

test('another row_key keeps a lookback from what was delivered before it, until it has grown beyond', async () => {
  const looking = { ...body, sync_mode: { ...body.sync_mode, lookback: '1d' } };
  await createPipeline(deps, caller, { body: looking });
  await untilRun(store, await begin(), 'success');
  const { position } = await readPipeline(store, { id: 'visits' });
  await put({ ...looking, row_key: ['hour'] }, true);
  clock.advance(3_600_000);
  const next = await untilRun(store, await begin(), 'success');
  expect([next.rangeStart, next.extractedRecords]).toEqual([formatMicros(position ?? 0n), 0n]);
});
