// Plans of what the daemon reads of tables that grow: every statement of scheduler, sweeper, claim, attempt and requests of
// the API is planned against a store with many runs, and none of them goes through a whole table.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError, createLog, Secret } from '../../../../src/kernel/index.ts';
import { listRuns, pipelinesWithLiveRun } from '../../../../src/pipelines/index.ts';
import { listFailedRecords } from '../../../../src/runs/failed-records/list-failed-records.ts';
import { requestRetry } from '../../../../src/runs/failed-records/request-retry.ts';
import { reportPipeline, triggerPipeline } from '../../../../src/runs/index.ts';
import { cancelRun } from '../../../../src/runs/lifecycle/cancel-run.ts';
import { createScheduler } from '../../../../src/runs/lifecycle/schedule-runs.ts';
import { sweepRuns, wakeDeferredRuns } from '../../../../src/runs/lifecycle/sweep-runs.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { COLUMNS, INCREMENTAL, people } from '../../../support/people/people-runs.ts';
import { createRunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, readPipeline, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';
import { planned, readWhole } from '../../../support/stores/read-plans.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const RUNS = 20_000;
const GROWTH = {
  tables: [
    ...['pipeline_runs', 'failed_records', 'failed_columns', 'run_chunks', 'record_retries'],
    ...['write_back_conflicts', 'audit_log'],
  ],
  walked: ['pipeline_runs_live', 'pipeline_runs_waiting'],
};

const clock = handClock();
const nowMs = clock.nowMs();
const seen = new Set<string>();
let plain: Store;
let store: Store;

beforeAll(async () => {
  plain = await openTestStore();
  const databaseUrl = new Secret(plain.databaseUrl);
  store = openStore({ databaseUrl, poolSize: 4, log: createLog('silent'), onStatement: (text) => void seen.add(text) });
  await addWorkspace(plain, WORKSPACE);
  await fill();
});
afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});

/** A hundred pipelines with two hundred runs each, failed records, ledgers and changes. */
async function fill(): Promise<void> {
  await addPipeline(plain, { id: 'old', connectionId: 'old' });
  await plain.execute(
    `INSERT INTO pipelines (workspace_id, id, name, pipeline_type, connection_id, data_model_id, state, environment, sync_mode,
       schedule, kept, warnings, generation, failed_in_a_row, created_on, created_by)
     SELECT workspace_id, id || n, name, pipeline_type, connection_id, data_model_id, state, environment, sync_mode,
       schedule, kept, warnings, generation, failed_in_a_row, created_on, created_by
     FROM pipelines, generate_series(2, 100) AS n`,
  );
  await plain.execute(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
       logical_date, created_on, ended_on, extracted_records, successful_records, failed_records, deduplicated_records,
       erased_records)
     SELECT 1, 1 + n % 100, 'old', 'manual', CASE WHEN n % 2 = 0 THEN 'success' ELSE 'failed' END, 1, 1, '[]', '[]',
       $1::timestamptz + n * interval '1 minute', $1::timestamptz + n * interval '1 minute', $1, 0, 0, 0, 0, 0
     FROM generate_series(1, ${RUNS}) AS n`,
    [new Date('2025-01-01')],
  );
  await plain.execute(
    `INSERT INTO failed_records (workspace_id, run_id, id, row, field, rule, reason, failed_on)
     SELECT 1, id, 1, '{}', 'f', 'r', 'why', created_on FROM pipeline_runs`,
  );
  await plain.execute(
    `INSERT INTO run_chunks (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated)
     SELECT 1, pipeline_number, 0, id, 0, '', '' FROM pipeline_runs`,
  );
  await plain.execute(
    `INSERT INTO audit_log (workspace_id, occurred_on, actor, action, resource, detail)
     SELECT 1, created_on, 'a', 'a', 'r', '{}' FROM pipeline_runs`,
  );
  for (const table of ['pipelines', 'pipeline_runs', 'failed_records', 'run_chunks', 'audit_log']) {
    await plain.query(`ANALYZE ${table}`);
  }
}

/** Everything that a daemon does with runs, over the store whose statements are seen. */
async function work(): Promise<void> {
  const warehouse = fakeWarehouse({ columns: COLUMNS, rows: people(6), iterator: 'at', nowMs: () => clock.nowMs() });
  const { deps, ...driver } = await createRunDriver({ store, clock, warehouse, chunkRows: 2 });
  const schedule = { type: 'interval', frequency: 'hourly', start: '2026-01-15T10:00:00Z' } as const;
  await addPipeline(plain, { syncMode: { ...INCREMENTAL, lookback: '1h' }, schedule, nextDueAtMs: nowMs });
  await createScheduler(deps)(nowMs);
  await wakeDeferredRuns(store, deps.jobs, nowMs);
  await sweepRuns(deps, new AbortController().signal);
  const attempt = async () => {
    const [live] = await plain.query<{ id: bigint }>(
      "SELECT id FROM pipeline_runs WHERE status IN ('queued', 'retrying')",
    );
    const claimed = await driver.claim(WORKSPACE, live?.id ?? 0n);
    if (claimed !== undefined) await driver.attempt(claimed);
    return live?.id ?? 0n;
  };
  warehouse.failing = { at: 'open', error: new AppError('WAREHOUSE_CREDENTIALS', 'The password is wrong.') };
  await attempt();
  warehouse.failing = undefined;
  const caller = { workspaceId: WORKSPACE, actor: 'test' } as unknown as Parameters<typeof triggerPipeline>[1];
  const trigger = () =>
    triggerPipeline({ ...deps, store }, caller, { pipelineId: 'people', idempotencyKey: `k${seen.size}` });
  await trigger();
  const id = await attempt();
  const pipeline = await readPipeline(plain);
  await listRuns(store, pipeline, { limit: 10, offset: 0, from: new Date(0), to: new Date(nowMs) });
  await reportPipeline(store, { workspaceId: WORKSPACE, id: 'people' });
  await pipelinesWithLiveRun(store, WORKSPACE);
  const run = await readRun(plain, id);
  await listFailedRecords(store, run, { limit: 10, offset: 0, from: undefined, to: undefined });
  await requestRetry(deps, caller, { pipelineId: 'people', runId: id, ids: undefined }).catch(() => undefined);
  const cancelled = await trigger();
  await store.transaction((tx) => cancelRun(tx, deps.jobs, { workspaceId: WORKSPACE, runId: cancelled, nowMs }));
}

test('no statement of a daemon reads a table of runs from one end to the other', async () => {
  await work();
  const statements = planned(seen);
  expect(statements.length).toBeGreaterThan(40);
  const found = await Promise.all(
    statements
      .filter((text) => !/arrivals|pg_temp|unnest\(\$1::text/.test(text))
      .map((text) => readWhole(plain, text, GROWTH)),
  );
  expect(found.flat()).toEqual([]);
});
