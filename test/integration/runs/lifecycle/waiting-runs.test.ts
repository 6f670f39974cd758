// Runs that wait for a place: who is woken, and who holds nobody up.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Jobs } from '../../../../src/jobs/index.ts';
import { AppError, createLog } from '../../../../src/kernel/index.ts';
import { requestRun, reschedulePipelines } from '../../../../src/pipelines/index.ts';
import { finishRun } from '../../../../src/runs/lifecycle/finish-run.ts';
import { createScheduler } from '../../../../src/runs/lifecycle/schedule-runs.ts';
import { sweepRuns } from '../../../../src/runs/lifecycle/sweep-runs.ts';
import { wakeWaiting } from '../../../../src/runs/lifecycle/waiting-runs.ts';
import type { Store } from '../../../../src/store/index.ts';
import { until } from '../../../support/clocks/until.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, readPipeline, readRun, readRuns, WORKSPACE } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

describe('of runs that wait', () => {
  let store: Store;
  let woken: string[];
  const settings = { workers: 3, workspaceRuns: 4, connectionRuns: 1, chunkRows: 1, runAttempts: 5, runHoldMs: 1 };
  const jobs = {
    enqueue: async (_tx: unknown, _queue: string, { key }: { readonly key: string }) => void woken.push(key),
  } as unknown as Jobs;

  beforeEach(async () => {
    woken = [];
    store = await openTestStore();
    await addPipeline(store, { id: 'slow', connectionId: 'busy' });
    await addPipeline(store, { id: 'fast', connectionId: 'quick' });
  });
  afterEach(() => store[Symbol.asyncDispose]());

  /** So many runs of this status, which may have lost workers, each of a pipeline of its own. Answers their ids. */
  async function runs(connection: string, given: string, count: number): Promise<readonly bigint[]> {
    const [status = '', losses = '0'] = given.split(' lost ');
    const made = await store.query<{ id: bigint }>(
      `WITH copied AS (
         INSERT INTO pipelines (workspace_id, id, name, pipeline_type, connection_id, data_model_id, state, environment,
           sync_mode, schedule, kept, warnings, generation, failed_in_a_row, created_on, created_by)
         SELECT workspace_id, id || $2 || n || random(), name, pipeline_type, connection_id, data_model_id, state, environment,
           sync_mode, schedule, kept, warnings, generation, failed_in_a_row, created_on, created_by
         FROM pipelines, generate_series(1, $3::int) AS n WHERE connection_id = $1 AND id IN ('slow', 'fast')
         RETURNING number)
       INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, losses, errors,
         warnings, logical_date, created_on, extracted_records, successful_records, failed_records, deduplicated_records,
         erased_records)
       SELECT 1, number, $1, 'manual', $2, 1, 1, $4, '[]', '[]', '2026-01-01', '2026-01-01', 0, 0, 0, 0, 0 FROM copied
       RETURNING id`,
      [connection, status, count, Number(losses)],
    );
    return made.map(({ id }) => id);
  }
  const wake = () => store.transaction((tx) => wakeWaiting(tx, { jobs, settings }, WORKSPACE));
  const keys = (ids: readonly bigint[]) => ids.map((id) => `1/${id}`);

  test('those of a busy connection, however many, keep nobody of another one asleep', async () => {
    await runs('busy', 'running', 1);
    await runs('busy', 'queued', 30);
    const quick = await runs('quick', 'queued', 3);
    await wake();
    expect(woken).toEqual(keys(quick.slice(0, 1)));
  });

  test('the sweeper looks past a thousand that wait for a busy connection, and takes what has lost its worker', async () => {
    const running = await runs('busy', 'running', 1);
    await runs('busy', 'queued', 1_200);
    const quick = await runs('quick', 'queued', 2);
    const suspect = await runs('busy', 'queued lost 2', 1);
    await sweepRuns({ store, jobs, settings }, new AbortController().signal);
    expect(woken.toSorted()).toEqual(keys([...running, ...quick.slice(0, 1), ...suspect]).toSorted());
  });

  test('none is woken while its workspace has all its runs, and none that may take workers down', async () => {
    await runs('quick', 'queued lost 2', 1);
    await wake();
    expect(woken).toEqual([]);
    await runs('busy', 'running', 4);
    await runs('quick', 'queued', 1);
    await wake();
    expect(woken).toEqual([]);
  });
});

const here = drivenRuns();

describe('a failure of what was changed meanwhile', () => {
  const REFUSED = new AppError('WAREHOUSE_CREDENTIALS', 'The old password is wrong.');
  const INVALID = new AppError('WAREHOUSE_SQL_INVALID', 'The old model is wrong.');

  async function failAfter(change: string, error: AppError, aheadMs = 0) {
    await addPipeline(here.store, { mappings: [] });
    const id = await here.request();
    here.warehouse.failing = { at: 'open', error: new AppError('WAREHOUSE_UNREACHABLE', 'Nobody answers.') };
    await here.attempt(undefined, id);
    here.clock.advance(1);
    if (change !== '') {
      await here.store.execute(`UPDATE ${change} SET last_modified_on = $1`, [new Date(here.clock.nowMs() + aheadMs)]);
    }
    here.clock.advance(3_600_000);
    here.warehouse.failing = { at: 'open', error };
    expect(await here.attempt(undefined, id)).toMatchObject({ status: 'failed', errors: [{ message: error.message }] });
    const { fault, failedInARow } = await readPipeline(here.store);
    const [held] = await here.store.query('SELECT fault FROM connections WHERE fault IS NOT NULL');
    return { isFaulted: fault !== null || held !== undefined, failedInARow };
  }

  test.each([
    ['connections', REFUSED],
    ...['connections', 'data_models', 'field_transformations', 'pipelines'].map((table) => [table, INVALID] as const),
  ] as const)('in %s faults nothing and is not counted', async (table, error) => {
    expect(await failAfter(table, error)).toEqual({ isFaulted: false, failedInARow: 0 });
  });

  test.each(['connections', 'data_models', 'field_transformations', 'pipelines'])(
    'in %s faults nothing and is not counted where the change came from a daemon whose clock is behind',
    async (table) => {
      expect(await failAfter(table, INVALID, -60_000)).toEqual({ isFaulted: false, failedInARow: 0 });
    },
  );

  test.each([
    ['', REFUSED],
    ['', INVALID],
    ['data_models', REFUSED],
  ])('in nothing that is to blame faults as ever (%s)', async (table, error) => {
    expect(await failAfter(table, error)).toMatchObject({ isFaulted: true });
  });
});

test('a once pipeline that was paused before its run began runs when it is active again', async () => {
  await addPipeline(here.store, { schedule: { type: 'once' }, nextDueAtMs: here.clock.nowMs() });
  const schedule = createScheduler({ ...here.driver.deps, log: createLog('silent') });
  await schedule(here.clock.nowMs());
  const [run] = await readRuns(here.store);
  const change = (state: string) =>
    here.store.transaction(async (tx) => {
      await tx.execute('UPDATE pipelines SET state = $2 WHERE workspace_id = $1', [WORKSPACE, state]);
      await reschedulePipelines(tx, { workspaceId: WORKSPACE, id: 'people' }, { nowMs: here.clock.nowMs() });
    });
  await change('paused');
  await expect(here.claim(run?.id ?? 0n)).rejects.toThrow('cannot be claimed');
  expect((await readRun(here.store, run?.id ?? 0n)).status).toBe('stopped');
  await change('active');
  await schedule(here.clock.nowMs());
  expect((await readRuns(here.store)).map(({ status }) => status)).toEqual(['stopped', 'queued']);
});

test('a run that ends and a trigger of its pipeline wait for each other in one order', async () => {
  await addPipeline(here.store);
  const claimed = await here.claim(await here.request());
  const pipeline = await readPipeline(here.store);
  const nowMs = here.clock.nowMs();
  let [ends, triggers] = [0, 0];
  let ending: Promise<void> = Promise.resolve();
  const conclude = async () => {
    ends += 1;
  };
  const isWaiting = async () => {
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (await here.store.query(waiting)).length > 0;
  };
  await here.store.transaction(async (tx) => {
    triggers += 1;
    await tx.query('SELECT number FROM pipelines WHERE workspace_id = $1 FOR UPDATE', [WORKSPACE]);
    if (triggers === 1) ending = finishRun(here.driver.deps, claimed, { position: undefined, warnings: [], conclude });
    await until(isWaiting);
    const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
    expect(await requestRun(tx, here.driver.deps.jobs, { pipeline, type: 'manual', ...times })).toBeUndefined();
  });
  await ending;
  expect([ends, triggers]).toEqual([1, 1]);
});

test('a scheduler that comes late to a due pipeline moves nothing back', async () => {
  const HOUR = 3_600_000;
  const nowMs = here.clock.nowMs();
  const schedule = { type: 'interval', frequency: 'hourly', start: '2026-01-15T10:00:00Z' } as const;
  await addPipeline(here.store, { schedule, nextDueAtMs: nowMs });
  const deps = { ...here.driver.deps, log: createLog('silent') };
  let isOvertaken = false;
  const overtake = async () => {
    if (isOvertaken) return;
    isOvertaken = true;
    await createScheduler(deps)(nowMs + 3 * HOUR);
    await here.store.execute(`UPDATE pipeline_runs SET status = 'success' WHERE workspace_id = 1`);
  };
  const transaction: Store['transaction'] = (work, options) =>
    here.store.transaction(
      (tx) =>
        work({
          ...tx,
          get orm() {
            return tx.orm;
          },
          async execute(text, values) {
            await overtake();
            return await tx.execute(text, values);
          },
        }),
      options,
    );
  const late = Object.create(here.store, { transaction: { value: transaction } });
  await createScheduler({ ...deps, store: late })(nowMs);
  expect(isOvertaken).toBe(true);
  expect(await readRuns(here.store)).toHaveLength(1);
  expect((await readPipeline(here.store)).scheduledUntilMs).toBe(nowMs + 3 * HOUR);
});
