// docs/store-views.md: every view with the columns that the page names, and every query with the answer that stands below it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BatchSource, createEvents, personOfBatch } from '../../src/events/index.ts';
import { createIdentities, deliverInTransaction } from '../../src/identity/index.ts';
import { parseJson, Secret, workspaceId } from '../../src/kernel/index.ts';
import type { Store } from '../../src/store/index.ts';
import { fakeClock } from '../support/clocks/fake-clock.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { openTestStore } from '../support/stores/test-store.ts';

const PAGE = readFileSync(join(ROOT, 'docs/store-views.md'), 'utf8');
const [, ...CHAPTERS] = PAGE.split('\n## ');
const SETUP = /```sql\n(.*?)```/s.exec(PAGE)?.[1] ?? '';

/** Rows of the first Markdown table in the text, without its head. */
function tableIn(text: string): string[][] {
  const [, , ...rows] = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const shown = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));

const WEB: BatchSource = { kind: 'input', key: 'web-key' };

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  const [pipeline] = await store.query<{ number: bigint }>(
    `INSERT INTO pipelines (workspace_id, id, name, pipeline_type, state, environment, sync_mode, schedule, kept, warnings,
       generation, failed_in_a_row, created_on, created_by)
     VALUES (1, 'orders', 'Orders', 'events', 'active', 'production', '{}', '{}', '{}', '[]', 0, 0, '2026-01-01', 'me')
     RETURNING number`,
  );
  const orders: BatchSource = { kind: 'pipeline', number: pipeline?.number ?? 0n };
  const web = WEB;
  await receive('2026-01-20T09:00:00Z', {
    source: orders,
    text: says('c-1', { plan: 'team' }, { email: 'ada@example.com' }),
  });
  await receive('2026-01-20T10:00:00Z', {
    source: orders,
    text: says('c-2', { plan: 'team' }, { email: 'grace@example.com' }),
  });
  await receive('2026-01-20T11:00:00Z', { source: orders, text: says('c-3', { plan: 'team', ' ': 1 }) });
  const bought = (amount: string, time: string) =>
    `{"event_type":"commerce_event","data":{"timestamp_unixtime_ms":${Date.parse(time)},` +
    `"product_action":{"action":"purchase","total_amount":${amount}}}}`;
  const early = [bought('19.90', '2026-02-09T08:00:00Z'), bought('5.00', '2026-02-09T08:30:00Z')];
  await receive('2026-02-10T09:00:00Z', { source: orders, text: says('c-1', {}, { events: early }) });
  await receive('2026-02-10T09:00:00Z', {
    source: web,
    text: '{"events":[{"event_type":"screen_view","data":{"screen_name":"x"}}]}',
  });
  await receive('2026-02-11T09:00:00Z', {
    source: orders,
    text: says('c-2', {}, { events: [bought('7.25', '2026-02-10T08:00:00Z')] }),
  });
  await receive('2026-03-02T08:00:00Z', { source: web, text: says('c-2', { plan: 'free' }) });
  // of others
  await receive('2026-02-11T09:00:00Z', { source: web, text: says('c-1', { plan: 'team' }), workspace: 2n });
});
afterAll(() => store[Symbol.asyncDispose]());

let mpids = 0n;
const identities = createIdentities({ key: new Secret('a key'), clock: fakeClock(), nextMpid: () => ++mpids });

interface Received {
  readonly source: BatchSource;
  readonly text: string;
  readonly workspace?: bigint;
}

async function receive(time: string, { source, text, workspace = 1n }: Received): Promise<void> {
  const clock = fakeClock(Date.parse(time));
  const events = createEvents({ identities, clock });
  const person = personOfBatch(parseJson(text) as never, clock.nowMs());
  const scope = { workspaceId: workspaceId(workspace), environment: 'production', mode: 'incremental' } as const;
  const prepared = await events.prepare(scope, [{ person, text, source }]);
  await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) => events.deliver(tx, prepared, exclusive));
}

interface Rest {
  readonly email?: string;
  readonly events?: readonly string[];
}

function says(customer: string, attributes: object, { email, events = [] }: Rest = {}): string {
  const ids = [`"customer_id":"${customer}"`, email === undefined ? '' : `"email":"${email}"`]
    .filter((part) => part !== '')
    .join(',');
  return `{"user_identities":{${ids}},"user_attributes":${JSON.stringify(attributes)},"events":[${events.join(',')}]}`;
}

describe.each(CHAPTERS.map((text) => [text.split('\n', 1)[0] ?? '', text]))('%s', (view, chapter) => {
  it('has the columns that the page names, workspace_id first', async () => {
    const columns = await store.query<{ name: string; type: string }>(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
      [view],
    );
    const typeOf = (type: string) => type.replace(/timestamp.* with time zone/, 'timestamptz');
    const named = tableIn(chapter.split('```')[0] ?? '').map(([name, type]) => `${name} ${type}`);
    expect(named).toEqual(columns.map(({ name, type }) => `\`${name}\` ${typeOf(type)}`));
    expect(named[0]).toBe('`workspace_id` bigint');
  });

  it('answers its query as the page shows', async () => {
    const [, query = '', answer = ''] = /```sql\n(.*?)```(.*)/s.exec(chapter) ?? [];
    expect(query).toContain(`FROM ${view}\nWHERE workspace_id = 1`);
    const rows = await store.query(query);
    expect(rows.map((row) => Object.values(row).map(shown))).toEqual(tableIn(answer));
  });
});

it('a role with the rights of the page reads the views, and no table', async () => {
  await store.query('DROP ROLE IF EXISTS penstock_reader');
  await store.query(SETUP);
  try {
    await store.transaction(async (tx) => {
      await tx.query('SET LOCAL ROLE penstock_reader');
      for (const chapter of CHAPTERS) await tx.query(`SELECT * FROM ${chapter.split('\n', 1)[0]} LIMIT 1`);
      await expect(tx.query('SELECT * FROM profiles')).rejects.toThrow('permission denied');
      await tx.query('ROLLBACK');
      await tx.query('BEGIN');
    });
  } finally {
    await store.query('DROP OWNED BY penstock_reader');
    await store.query('DROP ROLE penstock_reader');
  }
});

it('JSON that jsonb cannot hold is null, and keeps nobody from reading what stands beside it', async () => {
  const poison = `{"user_identities":{"customer_id":"c-1"},"user_attributes":{"big":1e200000},"events":[]}`;
  await receive('2026-04-01T00:00:00Z', { source: WEB, text: poison, workspace: 3n });
  await receive('2026-04-01T00:00:00Z', { source: WEB, text: says('c-2', { a: 1 }), workspace: 3n });
  const read = (sql: string) => store.query(`${sql} WHERE workspace_id = 3 ORDER BY 1 DESC NULLS FIRST`);
  const batches = await read(
    "SELECT batch IS NULL AS gone, batch_text LIKE '%1e200000%' AS kept FROM penstock_v1_batches",
  );
  expect(batches).toEqual([
    { gone: true, kept: true },
    { gone: false, kept: false },
  ]);
  expect(await read('SELECT attributes FROM penstock_v1_profiles')).toEqual([
    { attributes: null },
    { attributes: '{"a": 1}' },
  ]);
  expect(await read('SELECT name FROM penstock_v1_profile_attributes')).toEqual([{ name: 'a' }]);
});

it('a time is read however it is written, and what is none is null and keeps nobody from reading the rest', async () => {
  const given = ['1700000000000.0', '1.7e12', '17e11', '1e400', '-1e400', '1e15', '0', 'null', '"x"', '{}', '[]'];
  const events = given.map((time) => `{"event_type":"custom_event","data":{"timestamp_unixtime_ms":${time}}}`);
  const odd = ['{"event_type":"custom_event"}', '7', 'null', '"x"', '[]'];
  const text = says('c-1', {}, { events: [...events, ...odd] });
  await receive('2026-04-02T00:00:00Z', { source: WEB, text, workspace: 4n });
  for (const more of ['{"events":null}', '{"events":7}', '{}']) {
    await receive('2026-04-02T00:00:00Z', { source: WEB, text: more, workspace: 4n });
  }
  const rows = await store.query<{ time: Date | null }>(
    'SELECT occurred_on AS time FROM penstock_v1_events WHERE workspace_id = 4 ORDER BY event_number',
  );
  const then = '2023-11-14T22:13:20.000Z';
  expect(rows.slice(0, 7).map(({ time }) => time?.toISOString())).toEqual([
    ...[then, then, then, undefined, undefined, undefined],
    '1970-01-01T00:00:00.000Z',
  ]);
  expect(new Set(rows.slice(7).map(({ time }) => time))).toEqual(new Set([null]));
  expect(rows).toHaveLength(given.length + odd.length);
});

it('what has a time of its own keeps it to the microsecond, also under a name of blanks', async () => {
  const rows = await store.query(
    `SELECT name, set_on::text AS set_on FROM penstock_v1_profile_attributes WHERE workspace_id = 1 AND mpid = 3 ORDER BY name`,
  );
  expect(rows).toEqual([
    { name: ' ', set_on: '2026-01-20 11:00:00+00' },
    { name: 'plan', set_on: '2026-01-20 11:00:00+00' },
  ]);
});

it.each([
  ['one person’s batches', 'penstock_v1_batches WHERE workspace_id = 1 AND mpid = 2'],
  [
    'batches by time',
    "penstock_v1_batches WHERE workspace_id = 1 AND received_on >= '2026-02-01' AND received_on < '2026-02-02'",
  ],
  ['one profile', 'penstock_v1_profiles WHERE workspace_id = 1 AND mpid = 2'],
  [
    'attributes of one',
    "penstock_v1_profile_attributes WHERE workspace_id = 1 AND environment = 'production' AND mpid = 2",
  ],
])('an index leads to %s', async (_what, from) => {
  const plan = await store.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_seqscan = off');
    return await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN SELECT * FROM ${from}`);
  });
  const text = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toMatch(/Index Cond: .*(mpid|received_on)/);
});
