import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFeed } from '../../../../src/access/feeds/create-feed.ts';
import { createEvents, type Events } from '../../../../src/events/index.ts';
import { createIdentities } from '../../../../src/identity/index.ts';
import { AppError, parseJson } from '../../../../src/kernel/index.ts';
import { requestRetry } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import type { Cell } from '../../../../src/warehouse/index.ts';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { always, column, EMAIL, fromColumn } from '../../../support/batches/map-events.ts';
import { handClock } from '../../../support/clocks/hand-clock.ts';
import { fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import {
  addPipeline,
  countsOf,
  IDENTITY_KEY,
  startDaemon,
  type TestDaemon,
  trigger,
  untilRun,
} from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const clock = handClock();
let store: Store;
beforeEach(async () => {
  store = await openTestStore();
});
afterEach(() => store[Symbol.asyncDispose]());

const MAPPINGS = [
  always('breadcrumb', 'events.event_type'),
  EMAIL,
  fromColumn('mpid', 'mpid'),
  fromColumn('label', 'events.data.label'),
];
const COLUMNS = [column('email'), column('mpid', 'integer'), column('label')];

/** Refuses a chunk that holds the word, after it has written all of it, as a store would. */
function refusing(word: string): Events {
  const real = createEvents({ identities: createIdentities({ key: IDENTITY_KEY, clock }), clock });
  return {
    ...real,
    async deliver(tx, prepared, exclusive) {
      const delivered = await real.deliver(tx, prepared, exclusive);
      const found = prepared.texts.some((text) => text.includes(word));
      if (found) throw new AppError('STORE_DATA', 'The store cannot hold a value of the row.');
      return delivered;
    },
  };
}

async function keep(rows: readonly (readonly Cell[])[]) {
  const { connector } = fakeWarehouse({ columns: COLUMNS, rows, nowMs: () => clock.nowMs() });
  await using daemon = await startDaemon({ store, clock, connector, events: refusing('poison') });
  const pipeline = await addPipeline(store, { mappings: MAPPINGS });
  return await untilRun(store, await trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }), 'success');
}

/** Labels of each kept batch, in the order of the log. */
async function keptLabels(): Promise<readonly (readonly string[])[]> {
  const rows = await store.query<{ text: string }>('SELECT text FROM event_batches ORDER BY id');
  return rows.map(({ text }) => {
    const { events } = parseJson(text) as unknown as { readonly events: readonly { data: { label: string } }[] };
    return events.map(({ data }) => data.label);
  });
}

const failures = () =>
  store.query<{ row: string; rule: string; field: string }>('SELECT row, rule, field FROM failed_records ORDER BY id');

test('a row that the store refuses fails alone, and not the rows that it shares a batch with', async () => {
  const of = (email: string, ...labels: readonly string[]) => labels.map((label) => [email, null, label]);
  const rows = [...of('a@b.c', '1', '2'), ...of('b@b.c', '3', 'poison', '4', '5'), ...of('c@b.c', '6', '7')];

  const done = await keep(rows);

  expect(countsOf(done)).toEqual([8, 7, 1, 0, 0]);
  expect((await keptLabels()).flat().toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  expect(await failures()).toMatchObject([
    { row: '{"email":"b@b.c","mpid":null,"label":"poison"}', rule: 'store_refused' },
  ]);
});

test('the log knows which pipeline brought a batch', async () => {
  await keep([['a@b.c', null, '1']]);
  const [pipeline] = await store.query<{ number: bigint }>('SELECT number FROM pipelines');
  const kept = await store.query('SELECT pipeline_number AS number, input_key FROM event_batches');
  expect(kept).toEqual([{ number: pipeline?.number, input_key: null }]);
});

test('a batch whose person fails fails all its rows, each with the column at fault', async () => {
  const done = await keep([
    ['a@b.c', null, '1'],
    [null, 404, '2'],
    [null, 404, '3'],
    ['a@b.c', null, '4'],
  ]);

  expect(countsOf(done)).toEqual([4, 2, 2, 0, 0]);
  expect(await keptLabels()).toEqual([['1'], ['4']]);
  expect(await failures()).toEqual([
    { row: '{"email":null,"mpid":404,"label":"2"}', rule: 'mpid_unknown', field: 'mpid' },
    { row: '{"email":null,"mpid":404,"label":"3"}', rule: 'mpid_unknown', field: 'mpid' },
  ]);
});

test('a batch names the feed and the data plan of its pipeline, also one that comes by a retry of failed records', async () => {
  const rows = [
    ['a@b.c', null, '1'],
    ['b@b.c', null, 'poison'],
  ];
  const { connector } = fakeWarehouse({ columns: COLUMNS, rows, nowMs: () => clock.nowMs() });
  const { workspaceId } = await someWorkspace({ store, clock, keyRing: testKeyRing() });
  const caller = { workspaceId, actor: 'tester' };
  const body = { module_name: 'alpha', name: 'warehouse' };
  const { feed } = await createFeed({ store, clock, keyRing: testKeyRing() }, caller, body);
  const pipeline = await addPipeline(store, {
    mappings: MAPPINGS,
    kept: { partnerFeedId: String(feed.id), dataPlan: { id: 'plan', version: '2' } },
  });
  expect(workspaceId).toBe(pipeline.workspaceId);
  const runId = await withDaemon(connector, refusing('poison'), (daemon) =>
    trigger(daemon, store, { pipeline, nowMs: clock.nowMs() }),
  );
  await withDaemon(connector, refusing('nothing'), ({ jobs }) =>
    requestRetry({ store, jobs, clock }, caller, { pipelineId: pipeline.id, runId, ids: undefined }),
  );

  const kept = await store.query<{ number: bigint; input_key: string; text: string }>(
    'SELECT pipeline_number AS number, input_key, text FROM event_batches ORDER BY id',
  );
  expect((await keptLabels()).flat().toSorted()).toEqual(['1', 'poison']);
  for (const { number, input_key, text } of kept) {
    expect([number, input_key]).toEqual([pipeline.number, feed.key]);
    expect(parseJson(text)).toMatchObject({ context: { data_plan: { plan_id: 'plan', plan_version: 2 } } });
  }
});

/** Makes a run under a daemon and waits for its success. */
async function withDaemon(
  connector: ReturnType<typeof fakeWarehouse>['connector'],
  events: Events,
  request: (daemon: TestDaemon) => Promise<bigint>,
): Promise<bigint> {
  await using daemon = await startDaemon({ store, clock, connector, events });
  const id = await request(daemon);
  await untilRun(store, id, 'success');
  return id;
}
