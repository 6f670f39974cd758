// The way out for batches: each once, in order of receipt, as lines that can be gone on behind.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInputCredential } from '../../../src/access/index.ts';
import { systemClock } from '../../../src/kernel/index.ts';
import {
  messages,
  openSyncApi,
  PIPELINES,
  pipelineBody,
  type SyncApi,
  somePipeline,
} from '../../support/apis/sync-api.ts';
import { exported, keep, nobodyIn, recorded } from '../../support/people/kept-people.ts';

let api: SyncApi;
let number: bigint;
beforeAll(async () => {
  api = await openSyncApi();
  await somePipeline(api);
  const [pipeline] = await api.store.query<{ number: bigint }>('SELECT number FROM pipelines');
  number = pipeline?.number ?? 0n;
});
beforeEach(() => nobodyIn(api));
afterAll(() => api[Symbol.asyncDispose]());

const who = { customer_id: 'c-1' };
const said = (n: number, rest: object = {}) => ({ who, text: `{"n":${n}}`, ...rest });
const batches = (query = '', client = api.reader) => exported(api, client, `/batches${query}`);
const numbers = async (query = '', client = api.reader) =>
  (await batches(query, client)).lines.map(({ batch }) => batch.n);
/** A batch a day from 1 June on. */
async function aBatchADay(days: number) {
  for (let day = 1; day <= days; day++) {
    api.clock.set(`2024-06-${String(day).padStart(2, '0')}T12:00:00.000Z`);
    await keep(api, [said(day)]);
  }
}

describe('an export of batches', () => {
  it('has a line a batch with its cursor, times, person and source, every digit of it', async () => {
    const [mpid] = await keep(api, [
      said(1, { text: '{"n":9007199254740993,"text":"a\\nb"}', source: { kind: 'pipeline', number } }),
    ]);
    await keep(api, [{ text: '{"n":2}', source: { kind: 'input', key: 'k' } }], { environment: 'development' });
    await keep(api, [said(3, { source: { kind: 'pipeline', number: 404n } })]);

    const { status, headers, lines } = await batches();

    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    expect(headers['penstock-complete-until']).toBe('2024-06-01T12:00:00.003Z');
    const received = (ms: number) => ({ cursor: expect.any(String), received_on: `2024-06-01T12:00:00.00${ms}Z` });
    const batch_id = expect.anything();
    expect(lines).toEqual([
      {
        ...{
          ...received(0),
          environment: 'production',
          mpid: String(mpid),
          pipeline_id: pipelineBody.id,
          input_key: null,
        },
        batch: { mpid, batch_id, n: 9007199254740993n, text: 'a\nb' },
      },
      {
        ...{ ...received(1), environment: 'development', mpid: null, pipeline_id: null, input_key: 'k' },
        batch: { batch_id, n: 2 },
      },
      // of a pipeline that nobody knows any more
      {
        ...received(2),
        environment: 'production',
        mpid: String(mpid),
        pipeline_id: null,
        input_key: null,
        batch: { mpid, batch_id, n: 3 },
      },
    ]);
  });

  it('is empty where there is nothing', async () => {
    expect(await batches()).toMatchObject({ status: 200, text: '' });
  });

  it('goes on behind the cursor of any line, over months and pages, with what came meanwhile', async () => {
    for (const time of ['2024-05-31T23:59:59.999Z', '2024-06-01T00:00:00.000Z', '2024-08-15T00:00:00.000Z']) {
      api.clock.set(time);
      await keep(
        api,
        Array.from({ length: 3 }, (_, i) => said(i, { text: `{"n":"${time} ${i}"}` })),
      );
    }
    const all = await numbers();
    expect(all).toHaveLength(9);
    expect(all).toEqual(all.toSorted());
    const { lines } = await batches();
    for (const [index, { cursor }] of lines.entries())
      expect(await numbers(`?cursor=${cursor}`)).toEqual(all.slice(index + 1));
    await keep(api, [said(10)]);
    expect(await numbers(`?cursor=${lines.at(-1).cursor}`)).toEqual([10]);
  });

  it('sends no more lines than are wanted, and line by line is the whole', async () => {
    await keep(
      api,
      Array.from({ length: 5 }, (_, n) => said(n)),
    );
    const seen: number[] = [];
    let cursor = '';
    for (;;) {
      const { lines, headers } = await batches(`?limit=2${cursor}`);
      expect(headers).not.toHaveProperty('penstock-complete-until');
      if (lines.length === 0) break;
      seen.push(...lines.map(({ batch }) => batch.n));
      cursor = `&cursor=${lines.at(-1).cursor}`;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  it('keeps to bounds in time, inclusive, days of UTC too, with a cursor before, in and behind them', async () => {
    await aBatchADay(6);
    expect(await numbers('?startDate=2024-06-03&endDate=2024-06-04')).toEqual([3, 4]);
    expect(await numbers('?startDate=2024-06-03T12:00:00Z')).toEqual([3, 4, 5, 6]);
    expect(await numbers('?startDate=2024-06-03T12:00:00.001Z')).toEqual([4, 5, 6]);
    expect(await numbers('?endDate=2024-06-03T12:00:00Z')).toEqual([1, 2, 3]);
    expect((await batches('?endDate=2024-06-03')).headers['penstock-complete-until']).toBe('2024-06-03T23:59:59.999Z');
    const { lines } = await batches();
    const from = (index: number) => numbers(`?startDate=2024-06-03&endDate=2024-06-04&cursor=${lines[index].cursor}`);
    expect([await from(0), await from(2), await from(5)]).toEqual([[3, 4], [4], []]);
  });

  it('keeps to one environment', async () => {
    await keep(api, [said(1)]);
    await keep(api, [said(2)], { environment: 'development' });
    expect(await numbers('?environment=production')).toEqual([1]);
    expect(await numbers('?environment=development')).toEqual([2]);
    expect(await numbers()).toEqual([1, 2]);
  });

  it('keeps to one pipeline, also to those that had its id before', async () => {
    const before = { id: 'renewed', name: 'Renewed' };
    for (const n of [1, 2]) {
      await api.admin.post(PIPELINES, { ...pipelineBody, ...before });
      const [row] = await api.store.query<{ number: bigint }>('SELECT max(number) AS number FROM pipelines');
      await keep(api, [said(n, { source: { kind: 'pipeline', number: row?.number ?? 0n } })]);
      await api.admin.delete(`${PIPELINES}/renewed`);
    }
    await keep(api, [said(3, { source: { kind: 'pipeline', number } }), said(4)]);
    expect(await numbers('?pipeline_id=renewed')).toEqual([1, 2]);
    expect(await numbers(`?pipeline_id=${pipelineBody.id}`)).toEqual([3]);
  });

  it('keeps to one key, or to that of one feed', async () => {
    const { workspaceId } = api.admin;
    const deps = { store: api.store, clock: systemClock, keyRing: api.deps.keyRing };
    const input = await createInputCredential(deps, { workspaceId, name: 'server', actor: 'cli:tester' });
    const feedKey = randomBytes(16).toString('hex');
    await api.store.execute(
      `INSERT INTO input_credentials (key, workspace_id, name, secret, feed_id, created_on) VALUES ($1, $2, 'feed', '', 7, $3)`,
      [feedKey, workspaceId, new Date('2100-01-01T00:00:00Z')],
    );
    await keep(api, [
      said(1, { source: { kind: 'input', key: input.key } }),
      said(2, { source: { kind: 'input', key: feedKey } }),
      said(3, { source: { kind: 'pipeline', number } }),
      said(4, { source: { kind: 'pipeline', number, feedKey } }),
    ]);
    expect(await numbers(`?input_key=${input.key}`)).toEqual([1]);
    expect(await numbers(`?input_key=${feedKey}`)).toEqual([2, 4]);
    expect(await numbers('?feed_id=7')).toEqual([2, 4]);
    expect(await numbers(`?pipeline_id=${pipelineBody.id}`)).toEqual([3, 4]);
    expect(await numbers(`?feed_id=7&pipeline_id=${pipelineBody.id}`)).toEqual([4]);
    expect((await batches('?feed_id=7')).lines[1]).toMatchObject({ pipeline_id: pipelineBody.id, input_key: feedKey });
    expect(await numbers(`?feed_id=7&input_key=${input.key}`)).toEqual([]);
    const unknown = await api.admin.get('/batches?feed_id=8&input_key=k');
    expect(messages(unknown)).toBe(
      [
        'feed_id: this workspace has no feed "8"; it has: 7.',
        `input_key: this workspace has no key "k"; it has: ${input.key}, ${feedKey}.`,
      ].join('; '),
    );
    expect(messages(await api.stranger.get('/batches?feed_id=7'))).toContain('this workspace has no feed.');
  });

  it('never meets another workspace, whatever its cursor', async () => {
    await keep(api, [said(1)]);
    await keep(api, [said(2)], { workspaceId: api.stranger.workspaceId });
    const [mine] = (await batches()).lines;
    expect(await numbers('', api.stranger)).toEqual([2]);
    expect(await numbers('?cursor=b1_0_0', api.stranger)).toEqual([2]);
    expect((await exported(api, { ...api.stranger, workspaceId: api.admin.workspaceId }, '/batches')).status).toBe(404);
    expect(mine.batch.n).toBe(1);
  });

  it.each([
    ['cursor=b1_17', /^cursor: "b1_17" is not a cursor of this export; send the cursor of the last line/],
    ['cursor=p1_0_17', /^cursor: "p1_0_17" is not a cursor of this export/],
    ['cursor=b1_999999999999999_1', /^cursor: /],
    ['cursor=b1_1_9223372036854775808', /^cursor: /],
    [
      'startDate=yesterday',
      /^startDate: "yesterday" is not a valid time; write it like 2024-01-31T00:00:00Z, or as a day/,
    ],
    ['pipeline_id=nobody', /^pipeline_id: this workspace has no pipeline "nobody"; it has: .*purchases-to-profiles/],
    ['environment=staging', /^environment: must be one of production, development/],
    ['limit=0', /^limit: /],
  ])('is refused for %s', async (query, message) => {
    const answer = await api.admin.get(`/batches?${query}`);
    expect([answer.status, messages(answer)]).toEqual([400, expect.stringMatching(message)]);
  });

  it('stands in the audit log with what was asked for, before anything is sent', async () => {
    await keep(api, [said(1)]);
    await batches(`?pipeline_id=${pipelineBody.id}&startDate=2024-06-01&limit=5`);
    await api.admin.get('/batches?cursor=nonsense');
    for (const path of ['/batches', '/profiles']) {
      const url = `/platform/v2/workspaces/${api.admin.workspaceId}${path}`;
      const headers = { authorization: api.admin.bearer };
      expect((await api.server.inject({ method: 'HEAD', url, headers })).statusCode).toBe(405);
    }
    expect(await recorded(api.admin, 'profiles.exported')).toEqual([]);
    expect(await recorded(api.admin, 'batches.exported')).toMatchObject([
      { resource: 'batches', detail: { pipeline_id: pipelineBody.id, startDate: '2024-06-01', limit: 5 } },
    ]);
  });
});
