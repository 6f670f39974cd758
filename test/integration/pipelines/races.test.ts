import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_MASK } from '../../../src/kernel/index.ts';
import { loadPipelines, pipelinesSecrets } from '../../../src/pipelines/index.ts';
import type { Connector } from '../../../src/warehouse/index.ts';
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
  someFeed,
  somePipeline,
  TRANSFORMATIONS,
  transformationBody,
} from '../../support/apis/sync-api.ts';
import { testKeyRing } from '../../support/apis/test-access.ts';
import { until } from '../../support/clocks/until.ts';
import { scriptedWarehouse } from '../../support/fakes/scripted-warehouse.ts';
import { reencryptAll } from '../../support/stores/reencrypt-all.ts';

let api: SyncApi;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
});
afterAll(() => api[Symbol.asyncDispose]());

const ROUNDS = Array.from({ length: 10 }, (_, round) => round);
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

interface Gated extends SyncApi {
  /** A call that has come to the point where it asks the warehouse, and waits there. */
  hold(call: () => Promise<Answer>): Promise<{ goOn(): Promise<Answer> }>;
}

async function openGated(): Promise<Gated> {
  const warehouse = scriptedWarehouse('DuckDB');
  let held: Promise<void> | undefined;
  const open: Connector['open'] = async (...args) => {
    const wait = held;
    held = undefined;
    await wait;
    return warehouse.connector.open(...args);
  };
  const gated = await openSyncApi({ fleet: { DuckDB: { ...warehouse.connector, open } } });
  for (const [table, columns] of gated.warehouse.tables) warehouse.tables.set(table, columns);
  return {
    ...{ ...gated, warehouse },
    async hold(call) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      const answer = call();
      await until(() => held === undefined);
      return {
        goOn() {
          resolve();
          return answer;
        },
      };
    },
  };
}

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
    await using gated = await openGated();
    const put = (password: string) =>
      gated.admin.put('/connections/warehouse', { ...connectionBody, config: { database: 'd', password } });
    await gated.admin.post('/connections', connectionBody);
    const masked = await gated.hold(() => put(SECRET_MASK));
    expect((await put('newer')).status).toBe(200);
    expect((await masked.goOn()).status).toBe(200);
    await gated.admin.post('/connections/warehouse/test');
    expect(gated.warehouse.opened.at(-1)).toEqual({ database: 'd', password: 'newer' });
  });

  it('keep the key of a feed as it was written anew while a PUT sends the mask', async () => {
    await using gated = await openGated();
    const [one, other] = [await someFeed(gated, 'one'), await someFeed(gated, 'other')];
    await somePipeline(gated, { partner_feed_key: one.key });
    const stored = async () => {
      const [row] = await gated.store.query<{ kept: string }>('SELECT kept FROM pipelines');
      return JSON.parse(row?.kept ?? '{}').partnerFeedKey as string;
    };
    const both = testKeyRing('newer', 'test');
    const put = (key: string) => gated.admin.put(PIPELINE, { ...pipelineBody, partner_feed_key: key });
    const masked = await gated.hold(() => put(SECRET_MASK));
    const ofPipelines = pipelinesSecrets(gated.deps.fleet).filter(({ table }) => table === 'pipelines');
    expect(await reencryptAll(gated.store, both, ofPipelines)).toEqual({ pipelines: 1 });
    expect((await masked.goOn()).status).toBe(200);
    expect(both.needsRotation(await stored())).toBe(false);

    const late = await gated.hold(() => put(SECRET_MASK));
    expect((await put(other.key)).status).toBe(200);
    expect((await late.goOn()).status).toBe(503);

    const lost = testKeyRing('another');
    await expect(reencryptAll(gated.store, lost, ofPipelines)).rejects.toThrow('1 rows of pipelines cannot be read');
    await gated.admin.delete(PIPELINE);
    expect(await reencryptAll(gated.store, lost, ofPipelines)).toEqual({ pipelines: 0 });
  });
});
