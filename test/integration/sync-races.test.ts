import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPipelines } from '../../src/sync/index.ts';
import {
  type Answer,
  connectionBody,
  modelBody,
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../support/sync-api.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());

const ROUNDS = Array.from({ length: 10 }, (_, round) => round);
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

describe('calls that meet', () => {
  it('never leave a pipeline without its connection or model', async () => {
    for (const round of ROUNDS) {
      const id = `r-${round}`;
      await api.admin.post('/connections', { ...connectionBody, id });
      await api.admin.post('/data-models', { ...modelBody, id });
      const [created, ...deleted] = await Promise.all([
        api.admin.post(PIPELINES, { ...pipelineBody, id, connection_id: id, data_model_id: id }),
        api.admin.delete(`/connections/${id}`),
        api.admin.delete(`/data-models/${id}`),
      ]);
      expect([200, 400]).toContain(created?.status);
      const wasCreated = created?.status === 200;
      for (const status of statuses(deleted)) expect(wasCreated ? [409] : [204, 409]).toContain(status);
    }
  });

  it('make one resource of an id', async () => {
    for (const round of ROUNDS) {
      const id = `d-${round}`;
      const four = Array.from({ length: 4 });
      const made = [
        await Promise.all(four.map(() => api.admin.post('/connections', { ...connectionBody, id }))),
        await Promise.all(four.map(() => api.admin.post('/data-models', { ...modelBody, id }))),
        await Promise.all(four.map(() => api.admin.post(PIPELINES, { ...pipelineBody, id }))),
      ];
      for (const answers of made) expect(statuses(answers).sort()).toEqual([200, 409, 409, 409]);
    }
  });

  it('leave what is due as the last state says, whoever came last', async () => {
    for (const state of ROUNDS.map((round) => (round % 2 === 0 ? 'active' : 'inactive'))) {
      const puts = await Promise.all([
        api.admin.put('/connections/warehouse', { ...connectionBody, state }),
        api.admin.put('/data-models/purchases', modelBody),
        api.admin.put(PIPELINE, pipelineBody),
        api.admin.put(PIPELINE, { ...pipelineBody, name: 'Renamed' }),
      ]);
      expect(statuses(puts)).toEqual([200, 200, 200, 200]);
      const contexts = await loadPipelines(api.store, {
        workspaceId: api.admin.workspaceId,
        connectionId: 'warehouse',
      });
      for (const { pipeline } of contexts) expect(pipeline.nextDueAtMs === null).toBe(state === 'inactive');
    }
  });
});
