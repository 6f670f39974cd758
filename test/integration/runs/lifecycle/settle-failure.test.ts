import { describe, expect, test } from 'vitest';
import type { Job, Jobs } from '../../../../src/jobs/index.ts';
import { AppError, type ErrorCode } from '../../../../src/kernel/index.ts';
import { pipelines, type Schedule } from '../../../../src/pipelines/index.ts';
import type { ClaimedRun } from '../../../../src/runs/lifecycle/claim-run.ts';
import { settleFailure } from '../../../../src/runs/lifecycle/settle-failure.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline, readPipeline, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

/** Settles the failure of a claimed run with five attempts. Returns what was enqueued, completed and told to the observer. */
async function settle(claimed: ClaimedRun, error: AppError, before: (claimed: ClaimedRun) => void = () => undefined) {
  const calls: string[] = [];
  const { deps } = here.driver;
  const jobs: Jobs = {
    ...deps.jobs,
    enqueue: async (_tx, queue, { key }) => {
      before(claimed);
      calls.push(`enqueue ${queue} ${key}`);
    },
  };
  const job: Job = { ...claimed.job, complete: async () => void calls.push('complete') };
  const observer = { ...deps.observer, runEnded: (status: string) => void calls.push(`ended ${status}`) };
  const settings = { ...deps.settings, runAttempts: 5 };
  const isSettled = await settleFailure({ ...deps, jobs, observer, settings }, { ...claimed, job }, error);
  expect(isSettled).toBe(calls.some((call) => call.startsWith('ended')));
  return calls;
}

const about = (code: ErrorCode, subject?: 'connection' | 'data model' | 'pipeline') =>
  new AppError(code, 'What went wrong.', subject === undefined ? {} : { subject });
const HOURLY: Schedule = { type: 'interval', frequency: 'hourly', start: '2026-01-15T00:00:00Z' };
const ERRORS = [{ message: 'What went wrong.' }];

async function claimed(attempts = 1): Promise<ClaimedRun> {
  const taken = await here.claim(await here.request());
  return { ...taken, run: { ...taken.run, attempts } };
}

/** What is faulted, with the messages. */
async function faults() {
  const faultOf = async (table: string) => {
    const [row] = await here.store.query<{ fault: string | null }>(`SELECT fault FROM ${table}`);
    return row?.fault;
  };
  const found = [];
  for (const table of ['connections', 'data_models', 'pipelines']) found.push([table, await faultOf(table)]);
  return Object.fromEntries(found.filter(([, fault]) => fault !== null));
}

describe('a run that could not go on', () => {
  test('goes back to the queue when its worker hands it back', async () => {
    await addPipeline(here.store);
    const run = await claimed();
    expect(await settle(run, about('CANCELLED'))).toEqual(['complete', `enqueue runs 1/${run.runId}`, 'ended queued']);
    expect(await readRun(here.store, run.runId)).toMatchObject({ status: 'queued', attempts: 0 });
  });

  test('waits for its next attempt after an error that passes, and its place goes to a run that waits', async () => {
    await addPipeline(here.store);
    await addPipeline(here.store, { id: 'other' });
    const run = await claimed();
    const waiting = await queued('other');
    expect(await settle(run, about('WAREHOUSE_UNREACHABLE'))).toEqual([
      'complete',
      `enqueue runs 1/${waiting}`,
      'ended retrying',
    ]);
    const { status, errors, retryAt, endedOn } = await readRun(here.store, run.runId);
    expect({ status, errors, endedOn }).toEqual({ status: 'retrying', errors: ERRORS, endedOn: null });
    expect(retryAt).toEqual(new Date(here.clock.nowMs() + 5_500));
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 0, fault: null });
  });

  test('has failed with its last attempt, is counted, and frees its place', async () => {
    await addPipeline(here.store);
    await addPipeline(here.store, { id: 'other' });
    const early = await claimed(4);
    await settle(early, about('WAREHOUSE_UNREACHABLE'));
    expect(await readRun(here.store, early.runId)).toMatchObject({ status: 'retrying' });
    await here.store.execute('DELETE FROM pipeline_runs');
    const last = await claimed(5);
    const waiting = await queued('other');
    expect(await settle(last, about('WAREHOUSE_UNREACHABLE'))).toEqual([
      'complete',
      `enqueue runs 1/${waiting}`,
      'ended failed',
    ]);
    expect(await readRun(here.store, last.runId)).toMatchObject({
      ...{ status: 'failed', errors: ERRORS, endedOn: new Date(here.clock.nowMs()) },
    });
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 1, fault: null });
    expect(await readPipeline(here.store, { id: 'other' })).toMatchObject({ failedInARow: 0 });
  });

  test.each<ErrorCode>(['INTERNAL', 'FORBIDDEN', 'STORE_DATA'])(
    'fails at once with %s and faults nothing',
    async (code) => {
      await addPipeline(here.store, { schedule: HOURLY });
      const run = await claimed();
      expect(await settle(run, about(code))).toEqual(['complete', 'ended failed']);
      expect(await faults()).toEqual({});
      const { failedInARow, nextDueAtMs } = await readPipeline(here.store);
      expect([failedInARow, nextDueAtMs]).toEqual([1, Date.parse('2026-01-15T01:00:00Z')]);
    },
  );

  test('writes nothing once another worker has its lease', async () => {
    await addPipeline(here.store);
    const run = await claimed();
    expect(await settle(run, about('LEASE_LOST'))).toEqual([]);
    expect(await readRun(here.store, run.runId)).toMatchObject({ status: 'running' });
    await here.claim(run.runId);
    for (const code of ['CANCELLED', 'WAREHOUSE_UNREACHABLE', 'INTERNAL'] as const) {
      expect(await settle(run, about(code))).toEqual([]);
    }
    expect(await readRun(here.store, run.runId)).toMatchObject({ status: 'running' });
  });

  test('says so when its end cannot be written', async () => {
    await addPipeline(here.store);
    const run = await claimed();
    const lost = new AppError('STORE_UNAVAILABLE', 'The store is away.');
    const settling = settle(run, about('CANCELLED'), () => {
      throw lost;
    });
    await expect(settling).rejects.toBe(lost);
    const unknown = new Error('A bug.');
    const broken = settle(run, about('CANCELLED'), () => {
      throw unknown;
    });
    await expect(broken).rejects.toBe(unknown);
    expect(await readRun(here.store, run.runId)).toMatchObject({ status: 'running' });
  });
});

/** A run that waits for a place. */
async function queued(id: string): Promise<bigint> {
  const [row] = await here.store.query<{ id: bigint }>(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, losses, errors,
       warnings, logical_date, created_on, extracted_records, successful_records, failed_records, deduplicated_records,
       erased_records)
     SELECT 1, number, connection_id, 'manual', 'queued', 0, 0, 0, '[]', '[]', '2026-01-01', '2026-01-01', 0, 0, 0, 0, 0
     FROM pipelines WHERE id = $1 RETURNING id`,
    [id],
  );
  return row?.id ?? 0n;
}

describe('a fault', () => {
  test.each<[ErrorCode, Parameters<typeof about>[1], string]>([
    ['WAREHOUSE_SQL_INVALID', 'connection', 'connections'],
    ['WAREHOUSE_SQL_INVALID', undefined, 'connections'],
    ['WAREHOUSE_SQL_INVALID', 'data model', 'data_models'],
    ['MODEL_INVALID', 'pipeline', 'pipelines'],
    ['FEED_INACTIVE', 'connection', 'pipelines'],
    ['WAREHOUSE_CREDENTIALS', 'pipeline', 'connections'],
    ['WAREHOUSE_CONFIG', 'pipeline', 'connections'],
    ['CONNECTOR_MISSING', 'data model', 'connections'],
    ['SECRET_UNREADABLE', 'pipeline', 'connections'],
  ])('%s about %s stops the %s at once', async (code, subject, table) => {
    await addPipeline(here.store, { schedule: HOURLY, nextDueAtMs: 0 });
    const run = await claimed();
    await settle(run, about(code, subject));
    expect(await faults()).toEqual({ [table]: JSON.stringify(ERRORS) });
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 1, nextDueAtMs: null });
  });

  test('comes with the fifth failure in a row, and only for a run that reads the warehouse', async () => {
    await addPipeline(here.store);
    await here.store.orm.update(pipelines).set({ failedInARow: 3 });
    await settle(await claimed(), about('INTERNAL'));
    expect(await faults()).toEqual({});
    const retry = { ...(await claimed()), retry: {} as NonNullable<ClaimedRun['retry']> };
    await settle(retry, about('INTERNAL'));
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 4 });
    await settle(await claimed(), about('INTERNAL'));
    expect(await faults()).toEqual({
      pipelines: expect.stringContaining('"5 runs failed in a row; the last one with: What went wrong."'),
    });
  });

  test.each<[string, ErrorCode, Parameters<typeof about>[1], boolean]>([
    ['connections', 'WAREHOUSE_CREDENTIALS', 'connection', false],
    ['data_models', 'WAREHOUSE_CREDENTIALS', 'connection', true],
    ['connections', 'WAREHOUSE_SQL_INVALID', 'data model', false],
    ['data_models', 'WAREHOUSE_SQL_INVALID', 'data model', false],
    ['field_transformations', 'WAREHOUSE_SQL_INVALID', 'data model', true],
    ['connections', 'MODEL_INVALID', 'pipeline', false],
    ['data_models', 'MODEL_INVALID', 'pipeline', false],
    ['field_transformations', 'MODEL_INVALID', 'pipeline', false],
    ['pipelines', 'MODEL_INVALID', 'pipeline', false],
  ])('where %s changed since the run began: %s about %s still faults: %s', async (...given) => {
    const [table, code, subject, isFaulted] = given;
    await addPipeline(here.store, { mappings: [] });
    const run = await claimed();
    const change = (ms: number) =>
      here.store.execute(`UPDATE ${table} SET last_modified_on = $1`, [new Date(here.clock.nowMs() + ms)]);
    await change(1);
    await settle(run, about(code, subject));
    expect(Object.keys(await faults())).toHaveLength(isFaulted ? 1 : 0);
    expect(await readPipeline(here.store)).toMatchObject({ failedInARow: 0 });
    await here.store.execute('DELETE FROM pipeline_runs');
    await change(0);
    await settle(await claimed(), about(code, subject));
    expect(Object.keys(await faults())).toHaveLength(1);
  });
});

test('a run of which no row could be mapped leaves the ledger and the records of which it has taken nothing', async () => {
  await addPipeline(here.store);
  for (const [code, kept] of [
    ['WAREHOUSE_SQL_INVALID', 1n],
    ['NO_ROW_MAPPED', 0n],
  ] as const) {
    await here.store.execute('DELETE FROM run_chunks');
    await here.store.execute('DELETE FROM pipeline_runs');
    const run = await claimed();
    const { generation } = await readPipeline(here.store);
    await here.store.execute(
      `INSERT INTO run_chunks (workspace_id, pipeline_number, generation, run_id, after_rows, delivered, deduplicated)
       VALUES ($1, $2, $3, $4, 0, $5, '')`,
      [WORKSPACE, run.pipelineNumber, generation, run.runId, Buffer.alloc(16)],
    );
    await settle(run, about(code, 'pipeline'));
    expect(await here.store.query('SELECT count(*) AS n FROM run_chunks')).toEqual([{ n: kept }]);
  }
});
