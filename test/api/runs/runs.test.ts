import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  faultConnection,
  faultModel,
  faultPipeline,
  loadPipeline,
  pipelineRuns,
  pipelines,
  requestRun,
} from '../../../src/pipelines/index.ts';
import {
  type Answer,
  connectionBody,
  modelBody,
  NOW,
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  api.clock.set(NOW);
  await setRuns({ status: 'success' });
  await api.admin.put('/connections/warehouse', connectionBody);
  await api.admin.put('/data-models/purchases', modelBody);
  await api.admin.put(PIPELINE, pipelineBody);
});

const NAMED = { pipeline_id: pipelineBody.id };
const messages = ({ body }: Answer): string =>
  body.errors.map(({ message }: { message: string }) => message).join('; ');
const trigger = (headers?: Record<string, string>) => api.admin.post(`${PIPELINES}/trigger`, NAMED, headers);
const reset = () => api.admin.post(`${PIPELINES}/reset`, { ...NAMED, reset_type: 'full' });

/** What the worker would write. */
async function setRuns(change: Partial<typeof pipelineRuns.$inferInsert>): Promise<void> {
  await api.store.orm.update(pipelineRuns).set(change).where(eq(pipelineRuns.workspaceId, api.admin.workspaceId));
}

async function setPipeline(change: Partial<typeof pipelines.$inferInsert>): Promise<void> {
  const { workspaceId } = api.admin;
  await api.store.orm
    .update(pipelines)
    .set(change)
    .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.id, pipelineBody.id)));
}

describe('a trigger', () => {
  it('requests a manual run, queued for a worker', async () => {
    const { status, body } = await trigger();
    expect(status).toBe(200);
    expect(body).toEqual({ pipeline_run_id: expect.any(Number), status: 'attempt_requested' });
    const run = await api.admin.get(`${PIPELINE}/runs/${body.pipeline_run_id}`);
    expect(run.body).toEqual({
      ...{ id: body.pipeline_run_id, pipeline_id: pipelineBody.id, type: 'manual', status: 'queued', errors: [] },
      ...{ logical_date: NOW, started_on: null, ended_on: null, range_start: null, range_end: null, warnings: [] },
      ...{ successful_records: 0, failed_records: 0, extracted_records: 0 },
      ...{ deduplicated_records: 0, erased_records: 0 },
    });
    expect((await api.admin.get(PIPELINE)).body.status).toBe('running');
    const [row] = await api.store.orm
      .select()
      .from(pipelineRuns)
      .where(eq(pipelineRuns.id, BigInt(run.body.id)));
    expect(row?.nominalEnd).toBe('2024-06-01T11:45:00.000000Z');
    const jobs = await api.store.query<{ n: string }>("SELECT count(*) AS n FROM pgboss.job WHERE name = 'runs'");
    expect(Number(jobs[0]?.n)).toBe(1);
  });

  it('answers 400 in exactly the specified body while a run is not over', async () => {
    await trigger();
    for (const status of ['queued', 'running', 'retrying'] as const) {
      await api.store.orm
        .update(pipelineRuns)
        .set({ status })
        .where(and(eq(pipelineRuns.workspaceId, api.admin.workspaceId), eq(pipelineRuns.status, 'queued')));
      expect(await trigger()).toEqual({
        status: 400,
        body: { statusCode: 400, errors: [{ message: expect.stringContaining('has a run in progress') }] },
      });
      await setRuns({ status: 'success' });
      await trigger();
    }
  });

  it.each([
    ['the pipeline is paused', [PIPELINE, { ...pipelineBody, state: 'paused' }, '"purchases-to-profiles" is paused']],
    ['the connection is new', ['/connections/warehouse', { ...connectionBody, state: 'new' }, '"warehouse" is new']],
    [
      'the model is inactive',
      ['/data-models/purchases', { ...modelBody, state: 'inactive' }, '"purchases" is inactive'],
    ],
  ] as const)('answers 400 naming what stops it when %s', async (_what, [path, body, message]) => {
    await api.admin.put(path, body);
    const answer = await trigger();
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining(message)]);
    expect(messages(answer)).toContain('PUT it with state active');
  });

  it('is taken while the pipeline, or what it runs on, is faulted: it is a retry', async () => {
    const { workspaceId } = api.admin;
    const errors = [{ message: 'Refused.' }];
    await api.store.transaction((tx) => faultConnection(tx, { workspaceId, id: 'warehouse', errors }));
    expect((await api.admin.get(PIPELINE)).body.status).toBe('faulted');
    expect((await trigger()).status).toBe(200);
  });

  it('answers 400 once the schedule is over', async () => {
    const schedule = { type: 'on_demand', end: '2024-06-01T11:59:59Z' };
    await api.admin.put(PIPELINE, { ...pipelineBody, schedule });
    expect(messages(await trigger())).toContain('ended at 2024-06-01T11:59:59Z; PUT a later schedule.end');
  });

  it('with an Idempotency-Key answers the same run for a day, whatever became of it', async () => {
    const first = await trigger({ 'idempotency-key': 'k1' });
    expect((await trigger({ 'idempotency-key': 'k1' })).body).toEqual(first.body);
    await setRuns({ status: 'failed' });
    expect((await trigger({ 'idempotency-key': 'k1' })).body).toEqual(first.body);
    expect((await trigger({ 'idempotency-key': 'k2' })).body).not.toEqual(first.body);
    await setRuns({ status: 'success' });
    api.clock.set('2024-06-02T12:00:00.001Z');
    expect((await trigger({ 'idempotency-key': 'k1' })).body).not.toEqual(first.body);
  });

  it('with an Idempotency-Key of another pipeline makes a run of its own', async () => {
    const first = await trigger({ 'idempotency-key': 'shared' });
    await api.admin.post(PIPELINES, { ...pipelineBody, id: 'other', schedule: { type: 'on_demand' } });
    const other = { pipeline_id: 'other' };
    const second = await api.admin.post(`${PIPELINES}/trigger`, other, { 'idempotency-key': 'shared' });
    expect([second.status, second.body.pipeline_run_id === first.body.pipeline_run_id]).toEqual([200, false]);
  });

  it('with one Idempotency-Key, many times at once, makes one run', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => trigger({ 'idempotency-key': 'burst' })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.pipeline_run_id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  it('many times at once makes one run and refuses the rest', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => trigger()));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
  });

  it('refuses a body or key that is wrong, a pipeline that is not there, and the role read', async () => {
    expect(messages(await api.admin.post(`${PIPELINES}/trigger`, {}))).toBe('pipeline_id: is required');
    expect(messages(await trigger({ 'idempotency-key': 'x'.repeat(256) }))).toContain(
      'Idempotency-Key: must have 1 to',
    );
    expect((await api.admin.post(`${PIPELINES}/trigger`, { pipeline_id: 'nobody' })).status).toBe(404);
    expect((await api.reader.post(`${PIPELINES}/trigger`, NAMED)).status).toBe(403);
  });
});

describe('a reset', () => {
  it('forgets the position, with 204', async () => {
    await setPipeline({ position: '2024-05-01T00:00:00.000000Z' });
    expect((await api.admin.get(`${PIPELINE}/report`)).body.current_iterator_position).toBe(
      '2024-05-01T00:00:00.000000Z',
    );
    expect(await reset()).toEqual({ status: 204, body: undefined });
    expect((await api.admin.get(`${PIPELINE}/report`)).body.current_iterator_position).toBeNull();
  });

  it('answers 409 during a run, as does a DELETE or a PUT that resets', async () => {
    await trigger();
    const full = { ...pipelineBody, sync_mode: { type: 'full' } };
    expect((await reset()).status).toBe(409);
    expect((await api.admin.delete(PIPELINE)).status).toBe(409);
    expect((await api.admin.put(`${PIPELINE}?preventResets=false`, full)).status).toBe(409);
    expect((await api.admin.put(PIPELINE, pipelineBody)).status).toBe(200);
  });

  it('refuses another type by its path', async () => {
    const answer = await api.admin.post(`${PIPELINES}/reset`, { ...NAMED, reset_type: 'partial' });
    expect([answer.status, messages(answer)]).toEqual([400, 'reset_type: must be full, is "partial"']);
    const missing = await api.admin.post(`${PIPELINES}/reset`, NAMED);
    expect(messages(missing)).toContain('reset_type: is required');
  });
});

describe('the report', () => {
  it('shows pipeline, connection, model and latest run', async () => {
    api.clock.set('2024-06-10T12:00:00Z');
    const { body: triggered } = await trigger();
    await setRuns({ status: 'failed', errors: [{ message: 'It broke.' }], failedRecords: 3n, extractedRecords: 3n });
    await setPipeline({ latestSuccessfulRunId: 9_007_199_254_740_993n });
    const { workspaceId } = api.admin;
    await api.store.transaction(async (tx) => {
      const { pipeline } = await loadPipeline(tx, { workspaceId, id: pipelineBody.id });
      await faultPipeline(tx, { workspaceId, id: pipeline.number, errors: [{ message: 'Five runs failed.' }] });
    });
    const { status, body } = await api.admin.get(`${PIPELINE}/report`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ pipeline_id: pipelineBody.id, status: 'faulted', errors: [{ message: 'Five runs failed.' }], warnings: [] },
      ...{ connection_status: 'healthy', connection_errors: [], data_model_status: 'valid', data_model_errors: [] },
      latest_successful_pipeline_run_id: 9_007_199_254_740_993n,
      current_iterator_position: null,
      latest_pipeline_run: {
        ...{ id: triggered.pipeline_run_id, status: 'failed', errors: [{ message: 'It broke.' }], failed_records: 3 },
      },
    });
  });
});

describe('the latest run of a report', () => {
  it('is the one that was requested last, whatever its logical date', async () => {
    const { workspaceId } = api.admin;
    await trigger();
    await setRuns({ status: 'success' });
    const { pipeline } = await loadPipeline(api.store, { workspaceId, id: pipelineBody.id });
    const nowMs = Date.parse('2024-06-20T00:00:00Z');
    const times = { logicalDateMs: Date.parse('2024-01-01T00:00:00Z'), nominalEndMs: nowMs, nowMs };
    const request = { pipeline, type: 'scheduled', ...times } as const;
    const id = await api.store.transaction((tx) => requestRun(tx, api.deps.jobs, request));
    const { body } = await api.admin.get(`${PIPELINE}/report`);
    expect(BigInt(body.latest_pipeline_run.id)).toBe(id);
  });
});

describe('the report of a pipeline whose connection and model are faulted', () => {
  it('shows what is wrong with each', async () => {
    const { workspaceId } = api.admin;
    await api.store.transaction(async (tx) => {
      await faultConnection(tx, { workspaceId, id: 'warehouse', errors: [{ message: 'Wrong password.' }] });
      await faultModel(tx, { workspaceId, id: 'purchases', errors: [{ message: 'No such column.' }] });
    });
    expect((await api.admin.get(`${PIPELINE}/report`)).body).toMatchObject({
      status: 'faulted',
      errors: [
        { message: 'The connection "warehouse" is faulted: Wrong password.' },
        { message: 'The data model "purchases" is faulted: No such column.' },
      ],
      ...{ connection_status: 'faulted', connection_errors: [{ message: 'Wrong password.' }] },
      ...{ data_model_status: 'invalid', data_model_errors: [{ message: 'No such column.' }] },
    });
  });
});
