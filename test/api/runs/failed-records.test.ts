import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  listRuns,
  loadPipeline,
  type Pipeline,
  pipelineRuns,
  pipelines,
  requestRun,
} from '../../../src/pipelines/index.ts';
import { failedRecords } from '../../../src/runs/index.ts';
import {
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';

let api: SyncApi;
let pipeline: Pipeline;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
  ({ pipeline } = await loadPipeline(api.store, { workspaceId: api.admin.workspaceId, id: pipelineBody.id }));
});
afterAll(() => api[Symbol.asyncDispose]());
beforeEach(async () => {
  await api.store.orm.update(pipelineRuns).set({ status: 'success', endedOn: new Date(api.clock.nowMs()) });
  // a test that resets the pipeline begins another time line
  await api.store.orm.update(pipelines).set({ generation: pipeline.generation });
});

async function someRun(status = 'success'): Promise<bigint> {
  const nowMs = api.clock.nowMs();
  const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
  const id = await api.store.transaction((tx) => requestRun(tx, api.deps.jobs, { pipeline, type: 'manual', ...times }));
  const endedOn = ['success', 'failed', 'stopped'].includes(status) ? new Date(nowMs) : null;
  await api.store.query('UPDATE pipeline_runs SET status = $2, ended_on = $3 WHERE id = $1', [
    id ?? 0n,
    status,
    endedOn,
  ]);
  return id ?? 0n;
}

async function someRecords(runId: bigint, count: number): Promise<void> {
  const common = { workspaceId: api.admin.workspaceId, runId, columnsId: 1, cells: '[1]', failedOn: new Date(0) };
  const why = { field: 'n', value: '9007199254740993', rule: 'value_type', reason: 'It is too big.' };
  for (let id = 1n; id <= count; id++)
    await api.store.orm.insert(failedRecords).values({ ...common, ...why, id, row: '{"n":9007199254740993}' });
}

const run = (id: bigint) => `${PIPELINE}/runs/${id}`;

describe('cancel', () => {
  it.each(['queued', 'running', 'retrying'])('stops a %s run and answers it', async (status) => {
    const id = await someRun(status);
    const answer = await api.admin.post(`${run(id)}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { pipeline_id: pipelineBody.id, status: 'stopped' } });
    expect(answer.body.ended_on).toMatch(/^\d{4}-.*Z$/);
    expect((await api.admin.get(run(id))).body).toEqual(answer.body);
    expect(
      (await api.admin.post(`${PIPELINES}/reset`, { pipeline_id: pipelineBody.id, reset_type: 'full' })).status,
    ).toBe(204);
  });

  it.each(['success', 'failed', 'stopped'])('answers 400 for a run that is over (%s)', async (status) => {
    const answer = await api.admin.post(`${run(await someRun(status))}/cancel`);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`has already ended`);
  });

  it('is what a reset asks for while a run is live', async () => {
    await someRun('running');
    const answer = await api.admin.post(`${PIPELINES}/reset`, { pipeline_id: pipelineBody.id, reset_type: 'full' });
    expect(answer.status).toBe(409);
    expect(JSON.stringify(answer.body)).toContain('cancel it, or wait until it ends');
  });

  it('knows no run of another pipeline or workspace', async () => {
    expect((await api.admin.post(`${run(99_999n)}/cancel`)).status).toBe(404);
    expect((await api.stranger.post(`${run(await someRun('running'))}/cancel`)).status).toBe(404);
  });
});

it('lists runs without their snapshots, which hold the whole SQL of a model', async () => {
  const id = await someRun();
  await api.store.execute("UPDATE pipeline_runs SET snapshot = '{}' WHERE id = $1", [id]);
  const page = { limit: 10, offset: 0, from: undefined, to: undefined };
  for (const each of await listRuns(api.store, pipeline, page)) expect(each).not.toHaveProperty('snapshot');
});

describe('failed records', () => {
  it('are listed page by page, the newest first, with every digit', async () => {
    const id = await someRun();
    await someRecords(id, 5);
    const answer = await api.reader.get(`${run(id)}/failed-records?pageSize=2&currentPage=2`);
    expect(answer.status).toBe(200);
    expect(answer.body.items).toEqual(
      [3, 2].map((record) => ({
        id: record,
        row: { n: 9007199254740993n },
        ...{ field: 'n', value: '9007199254740993', rule: 'value_type', reason: 'It is too big.' },
        ...{ failed_on: '1970-01-01T00:00:00.000Z', retried_on: null },
      })),
    );
    expect((await api.reader.get(`${run(await someRun())}/failed-records`)).body).toEqual({ items: [] });
  });

  it('come without their row beyond 16 MB of a page, and with it when fewer are asked for', async () => {
    const id = await someRun();
    await someRecords(id, 3);
    const ofMegabytes = (count: number) => `'{"n":"' || repeat('x', ${count * 2 ** 20}) || '"}'`;
    await api.store.execute(`UPDATE failed_records SET row = ${ofMegabytes(17)} WHERE run_id = $1 AND id = 2`, [id]);
    const isWhole = async (query: string) => {
      const { status, body } = await api.reader.get(`${run(id)}/failed-records${query}`);
      const items = body.items as { id: number; row: unknown; reason: string }[];
      return [status, ...items.map(({ row, reason }) => row !== null && reason !== '')];
    };
    expect(await isWhole('')).toEqual([200, true, true, false]);
    expect(await isWhole('?pageSize=1&currentPage=3')).toEqual([200, true]);
    expect((await api.reader.get(`${run(id)}/failed-records`)).body.items[2]).toMatchObject({
      row: null,
      rule: 'value_type',
    });
  });

  it('are retried by a manual run', async () => {
    const id = await someRun();
    await someRecords(id, 2);
    const answer = await api.admin.post(`${run(id)}/failed-records/retry`, { ids: [2] });
    expect(answer).toMatchObject({ status: 200, body: { status: 'attempt_requested' } });
    const requested = (await api.admin.get(run(answer.body.pipeline_run_id))).body;
    expect(requested).toMatchObject({ type: 'manual', status: 'queued' });
    expect((await api.admin.post(`${run(id)}/failed-records/retry`, {})).status).toBe(400);
  });

  it.each([
    ['no body', undefined],
    ['no ids', {}],
  ])('are all retried with %s', async (_, body) => {
    const id = await someRun();
    await someRecords(id, 2);
    expect(await api.admin.post(`${run(id)}/failed-records/retry`, body)).toMatchObject({
      ...{ status: 200, body: { status: 'attempt_requested' } },
    });
  });

  it.each([[{ ids: [] }], [{ ids: ['x'] }], [{ id: 1 }], [{ ids: [1, 9] }]])(
    'refuse to be retried with %j',
    async (body) => {
      const id = await someRun();
      await someRecords(id, 2);
      expect((await api.admin.post(`${run(id)}/failed-records/retry`, body)).status).toBe(400);
    },
  );
});
