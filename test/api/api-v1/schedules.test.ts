// Due times of pipelines of version 1: their schedule_interval and the two switches that hold them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messages, NOW, someFeed, somePlan } from '../../support/apis/sync-api.ts';
import {
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
  await at.one.post('/data-models', { ...modelOne, id: 'late', load_timestamp_field_offset_seconds: 600 });
  await at.one.post('/data-models', { ...modelOne, id: 'untimed', load_timestamp_field_type: null });
});
afterAll(() => at[Symbol.asyncDispose]());

let count = 0;
const post = (changes: object) =>
  at.one.post('/pipelines', { ...pipelineOne, id: `p-${++count}`, partner_feed_id: at.feed.id, ...changes });
/** The next moment at which the scheduler makes a run, as text. */
async function dueOf(id: string): Promise<string | null> {
  const [row] = await at.api.store.query<{ due: Date | null }>(
    'SELECT next_due_at AS due FROM pipelines WHERE id = $1',
    [id],
  );
  return row?.due?.toISOString() ?? null;
}

describe('a pipeline', () => {
  const soon = { schedule_start_time: '2024-06-02T00:00:00Z' };
  it.each([
    ['hourly', soon, '2024-06-02T01:00:00.000Z'],
    ['daily', soon, '2024-06-03T00:00:00.000Z'],
    ['weekly', soon, '2024-06-09T00:00:00.000Z'],
    ['monthly', soon, '2024-07-02T00:00:00.000Z'],
    ['hourly', { ...soon, data_model_id: 'late' }, '2024-06-02T01:10:00.000Z'],
    ['hourly', { ...soon, schedule_end_time: '2024-06-02T00:30:00Z' }, null],
    ['on_demand', soon, null],
    ['once', soon, NOW],
    ['once', { ...soon, data_model_id: 'untimed' }, NOW],
    ['once', { ...soon, is_active: false }, null],
    ['once', { ...soon, is_draft: true }, null],
    ['hourly', { ...soon, is_active: false }, null],
    ['hourly', { ...soon, is_draft: true }, null],
  ])('of the interval %s with %j is due at %s', async (schedule_interval, changes, due) => {
    const { status, body } = await post({ schedule_interval, ...changes });
    expect([status, await dueOf(body.id)]).toEqual([200, due]);
  });

  it('that runs once runs when it becomes active, not again when it is PUT, and again after another interval', async () => {
    const { body } = await post({ schedule_interval: 'once', is_draft: true });
    const path = `/pipelines/${body.id}`;
    await at.one.put(path, { ...body, is_draft: false });
    expect(await dueOf(body.id)).toBe(NOW);
    await at.api.store.execute('UPDATE pipelines SET scheduled_until = $1, next_due_at = NULL WHERE id = $2', [
      ...[new Date(NOW), body.id],
    ]);
    await at.one.put(path, { ...body, is_draft: false, name: 'Renamed' });
    expect(await dueOf(body.id)).toBeNull();
    await at.one.put(path, { ...body, is_draft: false, schedule_interval: 'on_demand' });
    await at.one.put(path, { ...body, is_draft: false });
    expect(await dueOf(body.id)).toBe(NOW);
  });

  it('is not due while it, its connection or its model is faulted, and at the next interval once a PUT cleared that', async () => {
    const { body } = await post({ schedule_interval: 'hourly', schedule_start_time: '2024-06-01T00:00:00Z' });
    const model = (await at.one.get('/data-models/buyers')).body;
    for (const [table, id, path, whole] of [
      ['pipelines', body.id, `/pipelines/${body.id}`, body],
      ['data_models', 'buyers', '/data-models/buyers', model],
    ] as const) {
      await at.api.store.execute(`UPDATE ${table} SET fault = '[{"message":"Broken."}]' WHERE id = $1`, [id]);
      await at.api.store.execute('UPDATE pipelines SET next_due_at = NULL WHERE id = $1', [body.id]);
      expect((await at.one.put(path, whole)).status).toBe(200);
      expect([path, await dueOf(body.id)]).toEqual([path, '2024-06-01T13:00:00.000Z']);
    }
  });
});

describe('another workspace', () => {
  it('lends neither its plans, its feeds nor its connections', async () => {
    const { api } = at;
    const theirs = { ...api, admin: api.stranger, accountId: api.strangerAccountId };
    await somePlan(theirs, 'their-plan', 'active');
    const feed = await someFeed(theirs, 'their feed');
    await api.stranger.post('/connections', {
      id: 'theirs',
      name: 'T',
      state: 'new',
      service_provider: 'DuckDB',
      config: { database: 'd' },
    });
    const refusals = [
      [{ plan_id: 'their-plan', plan_version: 1 }, 404, 'plan_id: there is no data plan "their-plan"'],
      [{ partner_feed_id: feed.id }, 400, `partner_feed_id: there is no feed ${feed.id}`],
      [{ partner_feed_id: null, partner_feed_key: feed.key }, 400, 'partner_feed_key: is not the key of a feed'],
      [{ connection_id: 'theirs' }, 400, 'connection_id: there is no connection "theirs"'],
    ] as const;
    for (const [changes, status, message] of refusals) {
      const refused = await post(changes);
      expect([refused.status, messages(refused)]).toEqual([status, expect.stringContaining(message)]);
      expect(messages(refused)).not.toContain(feed.key);
    }
  });
});
