import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { template } from '../../../src/kernel/index.ts';
import { PIPELINES } from '../../support/apis/sync-api.ts';
import {
  connectionOne,
  modelOne,
  openVersionOne,
  pipelineOne,
  somePipelineOne,
  type VersionOne,
} from '../../support/apis/version-one.ts';

let at: VersionOne;
beforeAll(async () => {
  at = await openVersionOne();
  await somePipelineOne(at);
});
afterAll(() => at[Symbol.asyncDispose]());

let count = 0;
const post = () => at.one.post('/pipelines', { ...pipelineOne, id: `p-${++count}`, partner_feed_id: at.feed.id });

describe('a pipeline', () => {
  it('is faulted with its reason, which a PUT clears', async () => {
    const { body } = await post();
    await at.api.store.execute('UPDATE pipelines SET fault = $1 WHERE id = $2', ['[{"message":"Broken."}]', body.id]);
    expect((await at.one.get(`/pipelines/${body.id}`)).body).toMatchObject({
      is_faulted: true,
      faulted_reason: 'Broken.',
    });
    expect((await at.one.put(`/pipelines/${body.id}`, body)).body).toMatchObject({
      is_faulted: false,
      faulted_reason: null,
    });
  });

  it('is faulted with what it runs on, and says so in the names of version 1', async () => {
    const { body } = await post();
    const fault = (table: string, id: string, message: string) =>
      at.api.store.execute(`UPDATE ${table} SET fault = $1 WHERE id = $2`, [JSON.stringify([template(message)]), id]);
    await fault('connections', 'shop', 'Look at {config.user}.');
    await fault('data_models', 'buyers', 'No column "x", which {iterator_field} names.');
    const { is_faulted, faulted_reason } = (await at.one.get(`/pipelines/${body.id}`)).body;
    expect([is_faulted, faulted_reason]).toEqual([
      true,
      'The connection "shop" is faulted: Look at user. ' +
        'The data model "buyers" is faulted: No column "x", which load_timestamp_field_name names.',
    ]);
    expect((await at.one.get(`/pipelines/${body.id}/status`)).body).toMatchObject({
      ...{ is_active: true, is_faulted: true, is_connection_active: true, is_connection_faulted: true },
    });
    await at.one.put('/connections/shop', connectionOne);
    await at.one.put('/data-models/buyers', modelOne);
    expect((await at.one.get(`/pipelines/${body.id}/status`)).body).toMatchObject({
      ...{ is_faulted: false, is_connection_faulted: false },
    });
  });

  it('of which version 2 says the same', async () => {
    const { body } = await post();
    await at.api.store.execute('UPDATE pipelines SET fault = $1 WHERE id = $2', ['[{"message":"Broken."}]', body.id]);
    const two = (await at.two.get(`${PIPELINES}/${body.id}`)).body;
    expect(two).toMatchObject({ status: 'faulted', errors: [{ message: 'Broken.' }] });
    expect((await at.two.put(`${PIPELINES}/${body.id}`, two)).body.status).toBe('idle');
    expect((await at.one.get(`/pipelines/${body.id}`)).body).toMatchObject({ is_faulted: false, faulted_reason: null });
  });
});
