// A warehouse that changed after everything was saved: who is at fault, and what frees it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../../../src/http/index.ts';
import { loadPipeline, type PipelinesDeps, pipelineErrors } from '../../../../src/pipelines/index.ts';
import { createPipeline } from '../../../../src/pipelines/pipelines/create-pipeline.ts';
import type { Body } from '../../../../src/pipelines/pipelines/pipeline-draft.ts';
import { replaceFieldTransformation } from '../../../../src/pipelines/transformations/save-field-transformation.ts';
import { isLedgerAhead } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Column } from '../../../../src/warehouse/index.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { saveVisits, visitsTransformation } from '../../../support/batches/visits.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { warehouseEnvironment } from '../../../support/fakes/warehouse-environment.ts';
import {
  countsOf,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
  WORKSPACE,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const text = (name: string): Column => ({ name, type: 'text', nativeType: 'VARCHAR' });
const caller = { workspaceId: WORKSPACE, actor: 'tester' } as Caller;
const body: Body = {
  ...{ id: 'visits', name: 'Visits', pipeline_type: 'events', field_transformation_id: 'visits' },
  ...{ connection_id: 'visits', data_model_id: 'visits', state: 'active', environment: 'production' },
  ...{ sync_mode: { type: 'full' }, schedule: { type: 'on_demand' } },
};

let store: Store;
let warehouse: FakeWarehouse;
let daemon: TestDaemon;
let deps: PipelinesDeps;
const clock = handClock();

beforeEach(async () => {
  store = await openTestStore();
  warehouse = fakeWarehouse({ columns: [text('customer_id'), text('hour')], rows: [['c-1', '8']], nowMs: clock.nowMs });
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

const load = (id: string) => loadPipeline(store, { workspaceId: WORKSPACE, id });

async function run(id: string, status: 'success' | 'failed') {
  const { pipeline } = await load(id);
  return await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), status);
}

test('a column that a transformation needs and the warehouse has no more faults its pipelines, and no others', async () => {
  await createPipeline(deps, caller, { body });
  const people = { id: 'people', pipeline_type: 'user_attributes', field_transformation_id: null } as const;
  await createPipeline(deps, caller, { body: { ...body, ...people } });
  warehouse.columns = [text('customer_id'), text('minute')];
  expect((await run('visits', 'failed')).errors[0]?.message).toContain('the model has no column "hour"');
  const { pipeline, dataModel } = await load('visits');
  expect([pipeline.fault?.length, dataModel.fault]).toEqual([1, null]);
  expect(countsOf(await run('people', 'success'))).toEqual([1, 1, 0, 0, 0]);

  const mappings = visitsTransformation.mappings.map((each) =>
    each.source === 'hour' ? { ...each, source: 'minute' } : each,
  );
  await replaceFieldTransformation(deps, caller, { id: 'visits', body: { ...visitsTransformation, mappings } });
  expect(pipelineErrors(await load('visits'))).toEqual([]);
  expect(countsOf(await run('visits', 'success'))).toEqual([1, 1, 0, 0, 0]);
});

test('a column of row_key that the warehouse has no more faults the pipeline', async () => {
  warehouse.columns = [text('customer_id'), text('hour'), text('id')];
  await createPipeline(deps, caller, { body: { ...body, row_key: ['id'] } });
  warehouse.columns = [text('customer_id'), text('hour')];
  expect((await run('visits', 'failed')).errors[0]?.message).toContain('no column "id", which row_key names');
  const { pipeline, dataModel } = await load('visits');
  expect([pipeline.fault?.length, dataModel.fault]).toEqual([1, null]);
});
