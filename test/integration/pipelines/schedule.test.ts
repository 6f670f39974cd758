import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clearFaults,
  faultConnection,
  faultModel,
  faultPipeline,
  lastChanges,
  loadPipeline,
  pipelineRuns,
  pipelines,
  type RanOnPart,
  type RunStatus,
  requestRun,
  reschedulePipelines,
} from '../../../src/pipelines/index.ts';
import { writeRetry } from '../../../src/runs/failed-records/record-retry.ts';
import {
  connectionBody,
  NOW,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';

const RAN_ON = { connectionId: 'warehouse', dataModelId: 'purchases' };
let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api, { state: 'paused' });
});
afterAll(() => api[Symbol.asyncDispose]());

let count = 0;
const daily = { type: 'interval', frequency: 'daily', start: '2024-05-30T00:00:00Z', delay: '1h' };

/** A pipeline with that schedule; answers its id. */
async function withSchedule(schedule: object, changes: object = {}): Promise<string> {
  api.clock.set(NOW);
  const id = `s-${++count}`;
  const saved = await api.admin.post(PIPELINES, { ...pipelineBody, id, schedule, ...changes });
  expect(saved.status).toBe(200);
  return id;
}

const load = (id: string) => loadPipeline(api.store, { workspaceId: api.admin.workspaceId, id });
const put = (id: string, changes: object) => api.admin.put(`${PIPELINES}/${id}`, { ...pipelineBody, id, ...changes });

async function nextDue(id: string): Promise<string | null> {
  const { nextDueAtMs } = (await load(id)).pipeline;
  return nextDueAtMs === null ? null : new Date(nextDueAtMs).toISOString();
}

interface Ran {
  readonly until: string;
  readonly status: RunStatus;
  /** The run was a retry of the failed records of this one. */
  readonly retryOf?: bigint;
}

/** As after the scheduler made a run and the worker ended it; answers the run's id. */
async function ran(id: string, { until, status, retryOf }: Ran): Promise<bigint> {
  const { pipeline } = await load(id);
  const { workspaceId, number } = pipeline;
  const ms = Date.parse(until);
  const nowMs = api.clock.nowMs();
  return await api.store.transaction(async (tx) => {
    const request = { pipeline, type: 'scheduled', logicalDateMs: ms, nominalEndMs: ms, nowMs } as const;
    const runId = (await requestRun(tx, api.deps.jobs, request)) ?? -1n;
    if (retryOf !== undefined) {
      const retry = { failedRunId: retryOf, ids: undefined, readOn: new Date(ms) };
      await writeRetry(tx, { workspaceId, runId }, retry);
    }
    await tx.orm
      .update(pipelineRuns)
      .set({ status })
      .where(and(eq(pipelineRuns.workspaceId, workspaceId), eq(pipelineRuns.id, runId)));
    await tx.orm
      .update(pipelines)
      .set({ scheduledUntil: new Date(ms) })
      .where(and(eq(pipelines.workspaceId, workspaceId), eq(pipelines.number, number)));
    await reschedulePipelines(tx, { workspaceId, number }, { nowMs });
    return runId;
  });
}

describe('next_due_at', () => {
  it('is the end of the first interval plus the delay, when the pipeline becomes active', async () => {
    expect(await nextDue(await withSchedule({ ...daily, start: '2024-06-01T00:00:00Z' }))).toBe(
      '2024-06-02T01:00:00.000Z',
    );
    expect(await nextDue(await withSchedule(daily))).toBe('2024-05-31T01:00:00.000Z');
  });

  it('is now for `once`, and nothing for `on_demand`', async () => {
    expect(await nextDue(await withSchedule({ type: 'once' }))).toBe(NOW);
    expect(await nextDue(await withSchedule({ type: 'on_demand' }))).toBeNull();
  });

  it('is nothing while the pipeline is not active, and catches up when it is', async () => {
    const id = await withSchedule(daily, { state: 'new' });
    expect(await nextDue(id)).toBeNull();
    await put(id, { schedule: daily });
    expect(await nextDue(id)).toBe('2024-05-31T01:00:00.000Z');
    await put(id, { schedule: daily, state: 'paused' });
    expect(await nextDue(id)).toBeNull();
  });

  it('is nothing while the connection is not active', async () => {
    const id = await withSchedule(daily);
    await api.admin.put('/connections/warehouse', { ...connectionBody, state: 'inactive' });
    expect(await nextDue(id)).toBeNull();
    await api.admin.put('/connections/warehouse', connectionBody);
    expect(await nextDue(id)).toBe('2024-05-31T01:00:00.000Z');
  });

  it('follows a new frequency from what is covered already', async () => {
    const id = await withSchedule(daily);
    await ran(id, { until: '2024-06-01T00:00:00Z', status: 'success' });
    expect(await nextDue(id)).toBe('2024-06-02T01:00:00.000Z');
    await put(id, { schedule: { ...daily, frequency: 'hourly', delay: '0s' } });
    expect(await nextDue(id)).toBe('2024-06-01T01:00:00.000Z');
  });

  it('is now when the type becomes `once`, also after it ran on another schedule', async () => {
    const id = await withSchedule(daily);
    await ran(id, { until: '2024-06-01T00:00:00Z', status: 'success' });
    await put(id, { schedule: { type: 'once' } });
    expect(await nextDue(id)).toBe(NOW);
    await ran(id, { until: NOW, status: 'success' });
    expect(await nextDue(id)).toBeNull();
    await put(id, { schedule: { type: 'once' }, name: 'Renamed' });
    expect(await nextDue(id)).toBeNull();
  });

  it('after a reset stays for an interval, and is now for `once`', async () => {
    const interval = await withSchedule(daily);
    await ran(interval, { until: '2024-06-01T00:00:00Z', status: 'success' });
    const once = await withSchedule({ type: 'once' });
    await ran(once, { until: NOW, status: 'success' });
    for (const id of [interval, once]) {
      await api.admin.post(`${PIPELINES}/reset`, { pipeline_id: id, reset_type: 'full' });
    }
    expect(await nextDue(interval)).toBe('2024-06-02T01:00:00.000Z');
    expect(await nextDue(once)).toBe(NOW);
  });
});

describe('a fault', () => {
  const errors = [{ message: 'It broke.' }];

  it('of the pipeline stops its schedule; a PUT clears it, and the next scheduled interval covers the gap', async () => {
    const id = await withSchedule(daily);
    const { pipeline } = await load(id);
    const { workspaceId, number } = pipeline;
    await api.store.transaction((tx) => faultPipeline(tx, { workspaceId, id: number, errors }));
    expect(await nextDue(id)).toBeNull();
    await api.store.orm.update(pipelines).set({ failedInARow: 5 }).where(eq(pipelines.number, number));
    api.clock.set('2024-06-05T12:00:00Z');
    expect((await put(id, { schedule: daily })).body.status).toBe('idle');
    // the next failure is the first one again
    expect((await load(id)).pipeline.failedInARow).toBe(0);
    expect(await nextDue(id)).toBe('2024-06-06T01:00:00.000Z');
    expect((await load(id)).pipeline.position).toBeNull();
  });

  it('of the connection stops all its pipelines until the connection is PUT', async () => {
    const ids = [await withSchedule(daily), await withSchedule({ type: 'once' })];
    const { workspaceId } = api.admin;
    await api.store.transaction((tx) => faultConnection(tx, { workspaceId, id: 'warehouse', errors }));
    for (const id of ids) {
      expect(await nextDue(id)).toBeNull();
      await put(id, { schedule: (await load(id)).pipeline.schedule });
      expect(await nextDue(id)).toBeNull();
    }
    await api.admin.put('/connections/warehouse', connectionBody);
    expect(await nextDue(ids[0] ?? '')).toBe('2024-06-02T01:00:00.000Z');
    expect(await nextDue(ids[1] ?? '')).toBe(NOW);
  });

  it('of everything is cleared by a run that succeeds', async () => {
    const id = await withSchedule(daily);
    const { workspaceId } = api.admin;
    const { pipeline } = await load(id);
    await api.store.transaction(async (tx) => {
      await faultConnection(tx, { workspaceId, id: 'warehouse', errors });
      await faultModel(tx, { workspaceId, id: 'purchases', errors });
      await faultPipeline(tx, { workspaceId, id: pipeline.number, errors });
    });
    await api.store.transaction(async (tx) => {
      const nowMs = api.clock.nowMs();
      const isAsRan = () => true;
      await clearFaults(tx, await loadPipeline(tx, { workspaceId, id }), { nowMs, ranOn: RAN_ON, isAsRan });
    });
    const after = await load(id);
    expect([after.pipeline.fault, after.connection.fault, after.dataModel.fault]).toEqual([null, null, null]);
    expect(await nextDue(id)).toBe('2024-06-02T01:00:00.000Z');
  });

  it('of a connection that was changed while the run was on its way stays', async () => {
    const id = await withSchedule(daily);
    const { workspaceId } = api.admin;
    const ran = lastChanges(await load(id));
    api.clock.set('2024-06-01T12:01:00Z');
    await api.admin.put('/connections/warehouse', connectionBody);
    await api.store.transaction((tx) => faultConnection(tx, { workspaceId, id: 'warehouse', errors }));
    await api.store.transaction(async (tx) => {
      const nowMs = api.clock.nowMs();
      const context = await loadPipeline(tx, { workspaceId, id });
      const isAsRan = (part: RanOnPart) => lastChanges(context)[part] === ran[part];
      await clearFaults(tx, context, { nowMs, ranOn: RAN_ON, isAsRan });
    });
    expect((await load(id)).connection.fault).toEqual(errors);
    await api.admin.put('/connections/warehouse', connectionBody);
  });

  it('of a `once` pipeline whose run failed lets it run again when it is cleared', async () => {
    const id = await withSchedule({ type: 'once' });
    await ran(id, { until: NOW, status: 'failed' });
    const { pipeline } = await load(id);
    const { workspaceId, number } = pipeline;
    await api.store.transaction((tx) => faultPipeline(tx, { workspaceId, id: number, errors }));
    await put(id, { schedule: { type: 'once' } });
    expect(await nextDue(id)).toBe(NOW);
  });

  it.each([
    ['success', 'stopped', null],
    ['success', 'failed', null],
    ['failed', 'success', NOW],
  ] as const)(
    'of a `once` pipeline looks at its run (%s), not at a retry of its records (%s)',
    async (run, retry, due) => {
      const id = await withSchedule({ type: 'once' });
      const retryOf = await ran(id, { until: NOW, status: run });
      await ran(id, { until: NOW, status: retry, retryOf });
      const { workspaceId, number } = (await load(id)).pipeline;
      await api.store.transaction((tx) => faultPipeline(tx, { workspaceId, id: number, errors }));
      await put(id, { schedule: { type: 'once' } });
      expect(await nextDue(id)).toBe(due);
    },
  );
});

describe('one live run a pipeline', () => {
  it('holds when many ask at once', async () => {
    const { pipeline } = await load(await withSchedule({ type: 'on_demand' }));
    const nowMs = api.clock.nowMs();
    const request = { pipeline, type: 'scheduled', logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs } as const;
    const ids = await Promise.all(
      Array.from({ length: 8 }, () => api.store.transaction((tx) => requestRun(tx, api.deps.jobs, request))),
    );
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1);
  });
});
