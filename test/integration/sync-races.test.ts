import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_MASK } from '../../src/kernel/index.ts';
import { loadPipelines } from '../../src/sync/index.ts';
import type { Connector } from '../../src/warehouse/index.ts';
import { scriptedWarehouse } from '../support/scripted-warehouse.ts';
import {
  type Answer,
  connectionBody,
  eventsBody,
  modelBody,
  openSyncApi,
  PIPELINE,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
  TRANSFORMATIONS,
  transformationBody,
} from '../support/sync-api.ts';
import { until } from '../support/until.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());

const ROUNDS = Array.from({ length: 10 }, (_, round) => round);
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

describe('calls that meet', () => {
  it('never leave a pipeline without its connection, model or transformation', async () => {
    for (const round of ROUNDS) {
      const id = `r-${round}`;
      await api.admin.post('/connections', { ...connectionBody, id });
      await api.admin.post('/data-models', { ...modelBody, id });
      await api.admin.post(TRANSFORMATIONS, { ...transformationBody, id });
      const uses = { connection_id: id, data_model_id: id, field_transformation_id: id };
      const [created, ...deleted] = await Promise.all([
        api.admin.post(PIPELINES, { ...eventsBody, id, ...uses }),
        api.admin.delete(`/connections/${id}`),
        api.admin.delete(`/data-models/${id}`),
        api.admin.delete(`${TRANSFORMATIONS}/${id}`),
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
        await Promise.all(four.map(() => api.admin.post(TRANSFORMATIONS, { ...transformationBody, id }))),
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

  it('keep the secret that one of them brings while another sends the mask', async () => {
    const warehouse = scriptedWarehouse('DuckDB');
    let held: Promise<void> | undefined;
    const open: Connector['open'] = async (...args) => {
      const wait = held;
      held = undefined;
      await wait;
      return warehouse.connector.open(...args);
    };
    await using gated = await openSyncApi({ fleet: { DuckDB: { ...warehouse.connector, open } } });
    const put = (password: string) =>
      gated.admin.put('/connections/warehouse', { ...connectionBody, config: { database: 'd', password } });
    await gated.admin.post('/connections', connectionBody);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const masked = put(SECRET_MASK);
    await until(() => held === undefined);
    expect((await put('newer')).status).toBe(200);
    resolve();
    expect((await masked).status).toBe(200);
    await gated.admin.post('/connections/warehouse/test');
    expect(warehouse.opened.at(-1)).toEqual({ database: 'd', password: 'newer' });
  });
});
