import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPipeline, pipelineRuns, requestRun } from '../../../src/pipelines/index.ts';
import {
  type Answer,
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

const messages = ({ body }: Answer): string =>
  body.errors.map(({ message }: { message: string }) => message).join('; ');

/** What the worker would write. */
async function setRuns(change: Partial<typeof pipelineRuns.$inferInsert>): Promise<void> {
  await api.store.orm.update(pipelineRuns).set(change).where(eq(pipelineRuns.workspaceId, api.admin.workspaceId));
}

describe('the list of runs', () => {
  const DATES = Array.from({ length: 5 }, (_, day) => `2024-05-0${day + 1}T00:00:00.000Z`);
  const LIST = `${PIPELINES}/listed/runs`;
  const logicalDates = ({ body }: Answer) => body.items.map((run: { logical_date: string }) => run.logical_date);

  beforeAll(async () => {
    await api.admin.post(PIPELINES, { ...pipelineBody, id: 'listed', schedule: { type: 'on_demand', delay: '1m' } });
    const { workspaceId } = api.admin;
    const { pipeline } = await loadPipeline(api.store, { workspaceId, id: 'listed' });
    for (const date of DATES) {
      const ms = Date.parse(date);
      const run = { pipeline, type: 'scheduled', logicalDateMs: ms, nominalEndMs: ms, nowMs: ms } as const;
      await api.store.transaction((tx) => requestRun(tx, api.deps.jobs, run));
      await setRuns({ status: 'success' });
    }
  });

  it('is in pages from 1, the newest first', async () => {
    expect(logicalDates(await api.admin.get(LIST))).toEqual(DATES.toReversed());
    expect(logicalDates(await api.admin.get(`${LIST}?pageSize=2`))).toEqual([DATES[4], DATES[3]]);
    expect(logicalDates(await api.admin.get(`${LIST}?currentPage=3&pageSize=2`))).toEqual([DATES[0]]);
    expect(logicalDates(await api.admin.get(`${LIST}?currentPage=4&pageSize=2`))).toEqual([]);
  });

  it('is bounded by logical date, both ends included', async () => {
    const bounds = 'startDate=2024-05-02T00:00:00Z&endDate=2024-05-04T00:00:00Z';
    expect(logicalDates(await api.admin.get(`${LIST}?${bounds}`))).toEqual([DATES[3], DATES[2], DATES[1]]);
    expect(logicalDates(await api.admin.get(`${LIST}?startDate=2024-05-05`))).toEqual([DATES[4]]);
    expect(logicalDates(await api.admin.get(`${LIST}?currentPage=&pageSize=&startDate=&endDate=`))).toHaveLength(5);
  });

  it('begins with the run that was requested last, also where it covers an earlier interval', async () => {
    const { pipeline } = await loadPipeline(api.store, { workspaceId: api.admin.workspaceId, id: 'listed' });
    const earlier = { logicalDateMs: Date.parse('2023-01-01T00:00:00Z'), nominalEndMs: 0, nowMs: Date.parse(NOW) };
    const id = await api.store.transaction((tx) =>
      requestRun(tx, api.deps.jobs, { pipeline, type: 'scheduled', ...earlier }),
    );
    const newest = async () => (await api.admin.get(`${LIST}?pageSize=1`)).body.items[0];
    expect(await newest()).toMatchObject({ id: Number(id), status: 'queued' });
    const again = `UPDATE pipeline_runs SET status = 'retrying', retry_at = '2024-06-20T00:05:00Z' WHERE id = $1`;
    await api.store.execute(again, [id ?? 0n]);
    expect(await newest()).toMatchObject({ status: 'retrying', next_attempt_on: '2024-06-20T00:05:00.000Z' });
    await setRuns({ status: 'success', retryAt: null });
    expect(await newest()).not.toHaveProperty('next_attempt_on');
  });

  it.each([
    'currentPage=0',
    'pageSize=0',
    'pageSize=1001',
    'currentPage=x',
    'startDate=yesterday',
    'endDate=2024-13-01',
  ])('refuses %s by its name', async (query) => {
    const answer = await api.admin.get(`${LIST}?${query}`);
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringContaining(`${query.split('=')[0]}: `)]);
  });

  it('and one run are of that pipeline alone', async () => {
    const { id } = (await api.admin.get(LIST)).body.items[0];
    expect((await api.reader.get(`${LIST}/${id}`)).status).toBe(200);
    expect((await api.admin.get(`${PIPELINE}/runs/${id}`)).status).toBe(404);
    expect((await api.admin.get(`${LIST}/999999999999999999`)).status).toBe(404);
    expect((await api.admin.get(`${PIPELINES}/nobody/runs`)).status).toBe(404);
  });
});
