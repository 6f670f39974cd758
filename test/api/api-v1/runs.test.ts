import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messages, NOW, PIPELINES } from '../../support/apis/sync-api.ts';
import { openVersionOne, pipelineOne, somePipelineOne, type VersionOne } from '../../support/apis/version-one.ts';

let at: VersionOne;
beforeAll(async () => {
  at = await openVersionOne();
  await somePipelineOne(at, { schedule_interval: 'on_demand' });
});
afterAll(() => at[Symbol.asyncDispose]());

const PIPELINE = `/pipelines/${pipelineOne.id}`;
const trigger = () => at.one.post(PIPELINE);
const set = (id: number, columns: string) =>
  at.api.store.execute(`UPDATE pipeline_runs SET ${columns} WHERE workspace_id = $1 AND id = $2`, [
    ...[at.two.workspaceId, id],
  ]);
const stateOf = async (id: number) => (await at.one.get(`${PIPELINE}/status/runs/${id}`)).body.pipeline_run_state;

beforeEach(() =>
  at.api.store.execute("UPDATE pipeline_runs SET status = 'success' WHERE status IN ('queued', 'running', 'retrying')"),
);

describe('a trigger', () => {
  it('answers the run that it requested, which shows so until it begins', async () => {
    const { status, body } = await trigger();
    expect([status, body]).toEqual([200, { pipeline_run_id: expect.any(Number), status: 'attempt_requested' }]);
    const run = await at.one.get(`${PIPELINE}/status/runs/${body.pipeline_run_id}`);
    expect(run).toEqual({
      status: 200,
      body: {
        ...{ pipeline_run_id: body.pipeline_run_id, id: pipelineOne.id, workspace_id: Number(at.two.workspaceId) },
        ...{ logical_date: NOW, start_date: null, end_date: null, data_interval_start: null, data_interval_end: null },
        ...{ pipeline_run_type: 'manual', pipeline_run_state: 'attempt_requested', is_externally_triggered: true },
        ...{ records_extracted: 0, records_mapped: 0, event_batches_generated: 0 },
        ...{ created_on: NOW, created_by: expect.any(String), last_modified_on: null, last_modified_by: null },
      },
    });
    expect((await at.one.get(`${PIPELINE}/status`)).body).toEqual({
      ...{ is_active: true, is_faulted: false, is_connection_active: true, is_connection_faulted: false },
      latest_pipeline_run: run.body,
    });
  });

  it('of a pipeline that is not idle is 400, in each status of its run', async () => {
    const { body } = await trigger();
    for (const status of ['queued', 'running', 'retrying']) {
      await set(body.pipeline_run_id, `status = '${status}'`);
      const refused = await trigger();
      expect([status, refused.status, refused.body.statusCode]).toEqual([status, 400, 400]);
    }
  });

  it('of a paused pipeline, or a draft, is 400 and says what of version 1 makes it run', async () => {
    const { body } = await at.one.get(PIPELINE);
    for (const [changes, message] of [
      [{ is_active: false }, 'is not active; PUT it with is_active true.'],
      [{ is_active: true, is_draft: true }, 'is a draft; PUT it with is_draft false and is_active true.'],
    ] as const) {
      await at.one.put(PIPELINE, { ...body, ...changes });
      const refused = await trigger();
      expect([refused.status, messages(refused)]).toEqual([400, `The pipeline "${pipelineOne.id}" ${message}`]);
    }
    await at.one.put(PIPELINE, { ...body, is_active: true, is_draft: false });
  });

  it.each([
    ['/connections/shop', 'The connection "shop"'],
    ['/data-models/buyers', 'The data model "buyers"'],
  ])(
    'while version 2 has %s inactive is 400, shown in the status, and says where to change that',
    async (path, what) => {
      const { body } = await at.two.get(path);
      await at.two.put(path, { ...body, state: 'inactive' });
      expect(messages(await trigger())).toBe(
        `The pipeline "${pipelineOne.id}" is stopped. ${what} is inactive, a state that only version 2 can change; PUT it there with state active.`,
      );
      const { is_active, is_connection_active } = (await at.one.get(`${PIPELINE}/status`)).body;
      expect({ is_active, is_connection_active }).toEqual({
        ...{ is_active: true, is_connection_active: what.includes('data model') },
      });
      await at.two.put(path, { ...body, state: 'active' });
    },
  );

  it('after the end of the schedule is 400', async () => {
    const { body } = await at.one.get(PIPELINE);
    const end = { schedule_start_time: '2024-01-01T00:00:00Z', schedule_end_time: '2024-02-01T00:00:00Z' };
    expect((await at.one.put(PIPELINE, { ...body, ...end })).status).toBe(200);
    expect(messages(await trigger())).toContain('PUT a later schedule_end_time.');
    await at.one.put(PIPELINE, body);
  });

  it('of the same Idempotency-Key answers the same run within a day', async () => {
    const keyed = (key: string) => at.one.post(PIPELINE, undefined, { 'idempotency-key': key });
    const first = await keyed('once');
    expect([first.status, await keyed('once')]).toEqual([200, first]);
    expect((await keyed('twice')).status).toBe(400);
    expect(messages(await keyed('k'.repeat(256)))).toContain('Idempotency-Key: ');
  });

  it('of a faulted pipeline tries it again', async () => {
    await at.api.store.execute(`UPDATE pipelines SET fault = '[{"message":"Broken."}]'`);
    expect((await at.one.get(`${PIPELINE}/status`)).body).toMatchObject({ is_active: true, is_faulted: true });
    expect((await trigger()).body.status).toBe('attempt_requested');
    await at.api.store.execute('UPDATE pipelines SET fault = NULL');
  });
});

describe('a run', () => {
  it.each([
    ["status = 'queued', attempts = 1", 'queued'],
    ["status = 'queued', requested_by = NULL", 'queued'],
    ["status = 'running', attempts = 1", 'running'],
    ["status = 'retrying', attempts = 1", 'running'],
    ["status = 'success'", 'success'],
    ["status = 'failed'", 'failed'],
    ["status = 'stopped'", 'failed'],
  ])('with %s has the state %s', async (columns, state) => {
    const { body } = await trigger();
    await set(body.pipeline_run_id, columns);
    expect(await stateOf(body.pipeline_run_id)).toBe(state);
  });

  it('shows its range, its counts and its times', async () => {
    const { body } = await trigger();
    await set(
      body.pipeline_run_id,
      `range_start = '2024-01-01T00:00:00.000000Z', range_end = '2024-01-02T00:00:00.000000Z', extracted_records = 9,
       successful_records = 7, delivered_units = 5, started_on = '2024-06-01T12:00:01Z', ended_on = '2024-06-01T12:00:02Z'`,
    );
    expect((await at.one.get(`${PIPELINE}/status/runs/${body.pipeline_run_id}`)).body).toMatchObject({
      ...{ data_interval_start: '2024-01-01T00:00:00.000000Z', data_interval_end: '2024-01-02T00:00:00.000000Z' },
      ...{ records_extracted: 9, records_mapped: 7, event_batches_generated: 5 },
      ...{ start_date: '2024-06-01T12:00:01.000Z', end_date: '2024-06-01T12:00:02.000Z' },
    });
  });

  it('that the schedule made was made by nobody, and shows who asked for its retry', async () => {
    const { body } = await trigger();
    const path = `${PIPELINE}/status/runs/${body.pipeline_run_id}`;
    const { created_by: actor } = (await at.one.get(path)).body;
    await set(
      body.pipeline_run_id,
      "type = 'scheduled', requested_by = NULL, status = 'failed', ended_on = '2024-06-01T12:00:02Z'",
    );
    expect((await at.one.get(path)).body).toMatchObject({
      ...{ pipeline_run_type: 'scheduled', is_externally_triggered: false, created_by: null },
      ...{ last_modified_on: '2024-06-01T12:00:02.000Z', last_modified_by: null },
    });
    expect((await at.one.post(`${path}/retry`)).body).toMatchObject({
      ...{ pipeline_run_type: 'scheduled', pipeline_run_state: 'attempt_requested', is_externally_triggered: false },
      ...{ created_by: null, last_modified_by: actor },
    });
  });

  it('is listed, the newest first, by page and by logical date', async () => {
    const page = async (query: string) => (await at.one.get(`${PIPELINE}/status/runs${query}`)).body.items.length;
    expect(await page('')).toBeGreaterThan(3);
    expect(await page('?currentPage=1&pageSize=2')).toBe(2);
    expect(await page(`?startDate=2024-06-01&endDate=2024-06-01&pageSize=1`)).toBe(1);
    expect(await page('?endDate=2024-05-31')).toBe(0);
    expect((await at.one.get(`${PIPELINE}/status/runs?pageSize=0`)).status).toBe(400);
    expect((await at.one.get(`${PIPELINE}/status/runs?startDate=soon`)).status).toBe(400);
    expect((await at.one.get(`${PIPELINE}/status/runs/999999`)).status).toBe(404);
    expect((await at.one.get(`${PIPELINE}/status/runs/first`)).status).toBe(400);
  });
});

describe('a retry', () => {
  const retry = (id: number) => at.one.post(`${PIPELINE}/status/runs/${id}/retry`);
  const failed = async () => {
    const { body } = await trigger();
    await set(body.pipeline_run_id, "status = 'failed', attempts = 5, ended_on = '2024-06-01T12:00:02Z'");
    return body.pipeline_run_id as number;
  };

  it('of a run that failed or was stopped requests another attempt of it', async () => {
    for (const status of ['failed', 'stopped']) {
      const id = await failed();
      await set(id, `status = '${status}'`);
      const answer = await retry(id);
      expect([answer.status, answer.body]).toMatchObject([
        200,
        { pipeline_run_id: id, pipeline_run_state: 'attempt_requested', end_date: null, logical_date: NOW },
      ]);
      expect((await at.two.get(`${PIPELINES}/${pipelineOne.id}/runs/${id}`)).body.status).toBe('queued');
      await set(id, "status = 'success'");
    }
  });

  it('of a run that is in progress already, or succeeded, is 400; of none 404', async () => {
    const id = await failed();
    await retry(id);
    for (const status of ['queued', 'running', 'retrying']) {
      await set(id, `status = '${status}'`);
      const refused = await retry(id);
      expect([refused.status, messages(refused)]).toEqual([400, expect.stringContaining('already in progress')]);
    }
    await set(id, "status = 'success'");
    expect(messages(await retry(id))).toContain('succeeded');
    expect((await retry(999_999)).status).toBe(404);
  });

  it('of a pipeline that has another run, or is paused, is 400', async () => {
    const id = await failed();
    const other = (await trigger()).body.pipeline_run_id;
    expect(messages(await retry(id))).toContain('has another run');
    await set(other, "status = 'failed'");
    const { body } = await at.one.get(PIPELINE);
    await at.one.put(PIPELINE, { ...body, is_active: false });
    expect(messages(await retry(id))).toBe(
      'The pipeline "buyers-to-profiles" is not active; PUT it with is_active true.',
    );
    await at.one.put(PIPELINE, body);
  });

  it('of a run whose range a later run covered is 400 and names that run', async () => {
    const id = await failed();
    const later = (await trigger()).body.pipeline_run_id;
    const end = '2024-06-01T12:00:00.000000Z';
    await set(later, `status = 'success', range_end = '${end}', ended_on = '2024-06-01T12:30:00Z'`);
    await at.api.store.execute('UPDATE pipelines SET position = $1', [end]);
    const refused = await retry(id);
    expect([refused.status, messages(refused)]).toEqual([
      400,
      `Run ${later} has already loaded the rows of run ${id}, so there is nothing to retry.`,
    ]);
    await at.api.store.execute('UPDATE pipelines SET position = NULL');
    expect((await retry(id)).status).toBe(200);
  });

  it('stands in the audit log with who asked for it', async () => {
    const { items } = (await at.two.get('/audit-log?action=run.retried')).body;
    expect(items[0]).toMatchObject({ resource: `pipeline/${pipelineOne.id}`, actor: expect.any(String) });
  });
});
