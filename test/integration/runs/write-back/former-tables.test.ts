// MPIDs of erased people in tables that a pipeline has written into and writes into no more.
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expireAll } from '../../../../src/app/expire-all.ts';
import { createLog, type Log } from '../../../../src/kernel/index.ts';
import type { Pipeline } from '../../../../src/pipelines/index.ts';
import { queueErasedMpids } from '../../../../src/runs/index.ts';
import { fixtureOf } from '../../../conformance/fleet.ts';
import { type PersonRow, peopleOf, peopleTable } from '../../../conformance/writing-back.ts';
import { openWrittenBack, type WrittenBack } from '../../../support/runs/written-back.ts';

const DAY_MS = 86_400_000;
const fixture = fixtureOf('DuckDB');
const PEOPLE: readonly PersonRow[] = [
  ['ann', 'a@x.org', null, 'one', 1],
  ['bob', 'b@x.org', null, 'two', 2],
];

let here: WrittenBack;
let pipeline: Pipeline;
let lines: Record<string, unknown>[];
let log: Log;

beforeEach(async () => {
  lines = [];
  log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line)) });
  here = await openWrittenBack(fixture, peopleTable(fixture, PEOPLE), { log });
  pipeline = await here.pipeline();
  await here.run(pipeline);
});
afterEach(() => here[Symbol.asyncDispose]());

/** Erases the first person of the file; answers what stands in the table afterwards where it was cleared. */
async function eraseAnn(): Promise<readonly (bigint | null)[]> {
  const [ann, bob] = (await peopleOf(fixture, here.warehouse)).map(([, , mpid]) => mpid);
  const erased = { workspaceId: here.workspace, mpids: [ann ?? 0n], nowMs: here.clock.nowMs() };
  await here.store.transaction((tx) => queueErasedMpids(tx, erased));
  return [null, bob ?? 0n];
}

const eraseSomebody = () =>
  here.store.transaction((tx) =>
    queueErasedMpids(tx, { workspaceId: here.workspace, mpids: [12_345n], nowMs: here.clock.nowMs() }),
  );
const waitingIn = (connection: string) =>
  here.store.query(
    `SELECT table_id FROM erased_mpids JOIN written_back_tables AS written ON written.id = table_id
     WHERE connection_id = $1`,
    [connection],
  );
const mpids = async () => (await peopleOf(fixture, here.warehouse)).map(([, , mpid]) => mpid);
const waiting = () => here.store.query('SELECT table_id FROM erased_mpids');
const tables = () => here.store.query('SELECT connection_id, table_name FROM written_back_tables ORDER BY id');
const former = { connection_id: 'warehouse', table_name: 'people' };

/** The pipeline gets a connection to another file, with a table of its own. */
async function moveElsewhere(): Promise<void> {
  const instance = await DuckDBInstance.create(join(here.warehouse.environment.folder, 'other.duckdb'));
  const connection = await instance.connect();
  for (const statement of peopleTable(fixture, PEOPLE)) await connection.run(statement);
  connection.closeSync();
  instance.closeSync();
  await here.store.execute(
    `INSERT INTO connections (workspace_id, id, name, state, provider, config, created_on, created_by)
     SELECT workspace_id, 'other', name, state, provider, $1, created_on, created_by FROM connections`,
    [JSON.stringify({ database: 'other.duckdb', read_only: false })],
  );
  await here.store.execute("UPDATE pipelines SET connection_id = 'other'");
}

const dropFile = (statement: string) => here.warehouse.seed([statement]);

test('another connection: the former table is cleared through the former one', async () => {
  await moveElsewhere();
  const cleared = await eraseAnn();
  expect(await here.run(pipeline)).toMatchObject({ writtenRecords: 2n, warnings: [] });
  expect(await mpids()).toEqual(cleared);
  expect(await waiting()).toEqual([]);
  expect(await tables()).toEqual([former, { connection_id: 'other', table_name: 'people' }]);
});

test('a pipeline that writes nothing back any more clears what it has written', async () => {
  await here.store.execute("UPDATE data_models SET sql_query = 'SELECT customer_id, email FROM people'");
  const cleared = await eraseAnn();
  expect(await here.run(pipeline)).toMatchObject({ writtenRecords: null, warnings: [] });
  expect(await mpids()).toEqual(cleared);
  expect(await waiting()).toEqual([]);
});

test('a former connection that was deleted: each erasure is warned of, and forgotten', async () => {
  await moveElsewhere();
  const before = await mpids();
  await here.store.execute("DELETE FROM connections WHERE id = 'warehouse'");
  for (let times = 0; times < 2; times++) {
    await eraseAnn();
    const { warnings } = await here.run(pipeline);
    expect(warnings).toEqual([{ message: expect.stringMatching(/MPIDs of 1 erased people .* in people/) }]);
    expect(warnings[0]?.message).toContain('was deleted');
    expect(warnings[0]?.message).toContain('UPDATE people SET MPID = NULL');
    expect(await waiting()).toEqual([]);
  }
  expect(await here.run(pipeline)).toMatchObject({ warnings: [] });
  expect(await mpids()).toEqual(before);
});

test.each([
  [
    'whose connection leads elsewhere',
    `UPDATE connections SET config = '{"database":"new.duckdb","read_only":false}' WHERE id = 'warehouse'`,
    `UPDATE connections SET config = '{"database":"warehouse.duckdb","read_only":false}' WHERE id = 'warehouse'`,
  ],
  ['that is not seen', 'ALTER TABLE people RENAME TO hidden', 'ALTER TABLE hidden RENAME TO people'],
])('a former table %s: they wait, each run says so, and they are cleared when it is back', async (_, lose, find) => {
  const change = (statement: string) =>
    statement.startsWith('ALTER') ? here.warehouse.seed([statement]) : here.store.execute(statement);
  await moveElsewhere();
  const cleared = await eraseAnn();
  await change(lose);
  for (let times = 0; times < 2; times++) {
    const { warnings } = await here.run(pipeline);
    expect(warnings).toEqual([{ message: expect.stringContaining('tries again until this has failed for 30 days') }]);
    expect(warnings[0]?.message).toContain('UPDATE people SET MPID = NULL');
    expect(await waiting()).toHaveLength(1);
  }
  await change(find);
  expect(await here.run(pipeline)).toMatchObject({ warnings: [] });
  expect(await mpids()).toEqual(cleared);
  expect(await waiting()).toEqual([]);
});

test('a run that fails forgets nothing: the warning and the end of the wait come together', async () => {
  await moveElsewhere();
  await here.store.execute("DELETE FROM connections WHERE id = 'warehouse'");
  await eraseAnn();
  await here.store.execute("UPDATE data_models SET sql_query = 'SELECT customer_id, email, MPID FROM nowhere'");
  await here.run(pipeline, 'failed');
  expect(await waiting()).toHaveLength(1);
});

test('a former connection that is inactive: they wait, and each run says so', async () => {
  await moveElsewhere();
  const cleared = await eraseAnn();
  const before = await mpids();
  await here.store.execute("UPDATE connections SET state = 'inactive' WHERE id = 'warehouse'");
  for (let times = 0; times < 2; times++) {
    const { warnings } = await here.run(pipeline);
    expect(warnings).toEqual([{ message: expect.stringContaining('is inactive. The next run tries again.') }]);
    expect(await mpids()).toEqual(before);
  }
  await here.store.execute("UPDATE connections SET state = 'active'");
  expect(await here.run(pipeline)).toMatchObject({ warnings: [] });
  expect(await mpids()).toEqual(cleared);
  expect(await waiting()).toEqual([]);
});

test('a former table that is lost is forgotten 30 days after the last of what waits for it was erased', async () => {
  await moveElsewhere();
  const other = { connection_id: 'other', table_name: 'people' };
  await eraseAnn();
  await dropFile('DROP TABLE people');
  await here.run(pipeline);
  here.clock.advance(20 * DAY_MS);
  await eraseSomebody();
  here.clock.advance(11 * DAY_MS);
  const { warnings } = await here.run(pipeline);
  expect(warnings).toEqual([{ message: expect.stringContaining('has forgotten those erased more than 30 days ago') }]);
  // the other one waits on
  expect(await waitingIn('warehouse')).toHaveLength(1);
  expect(await tables()).toEqual([former, other]);
  here.clock.advance(20 * DAY_MS);
  await here.run(pipeline);
  expect(await waitingIn('warehouse')).toEqual([]);
  expect(await tables()).toEqual([other]);
});

test('what waited for another reason is not forgotten on the first look that finds the table lost again', async () => {
  await moveElsewhere();
  await eraseAnn();
  await dropFile('DROP TABLE people');
  await here.run(pipeline);
  await here.store.execute("UPDATE connections SET state = 'inactive' WHERE id = 'warehouse'");
  await here.run(pipeline);
  here.clock.advance(40 * DAY_MS);
  await here.store.execute("UPDATE connections SET state = 'active'");
  for (const days of [29, 2]) {
    const { warnings } = await here.run(pipeline);
    expect(warnings).toEqual([{ message: expect.not.stringContaining('has forgotten those') }]);
    expect(await waitingIn('warehouse')).toHaveLength(1);
    here.clock.advance(days * DAY_MS);
  }
  expect((await here.run(pipeline)).warnings).toEqual([{ message: expect.stringContaining('has forgotten those') }]);
  expect(await waitingIn('warehouse')).toEqual([]);
});

test('a former table that is found once is looked for from then on anew', async () => {
  await moveElsewhere();
  await eraseAnn();
  await here.warehouse.seed(['ALTER TABLE people RENAME TO hidden']);
  await here.run(pipeline);
  here.clock.advance(20 * DAY_MS);
  await here.warehouse.seed(['ALTER TABLE hidden RENAME TO people']);
  await here.run(pipeline);
  expect(await waiting()).toEqual([]);
  await eraseSomebody();
  await here.store.execute(
    "DELETE FROM erased_mpids WHERE table_id IN (SELECT id FROM written_back_tables WHERE connection_id = 'other')",
  );
  await here.warehouse.seed(['ALTER TABLE people RENAME TO hidden']);
  here.clock.advance(31 * DAY_MS);
  const { warnings } = await here.run(pipeline);
  expect(warnings).toEqual([{ message: expect.not.stringContaining('has forgotten those') }]);
  expect(await waitingIn('warehouse')).toHaveLength(1);
});

test('the cleanup clears the table of a deleted pipeline, also after its row has gone', async () => {
  const cleared = await eraseAnn();
  await here.engine.cleanUp();
  // the pipeline itself will do it
  expect(await waiting()).toHaveLength(1);
  await here.store.execute('UPDATE pipelines SET deleted_on = $1, connection_id = NULL, data_model_id = NULL', [
    new Date(here.clock.nowMs()),
  ]);
  await here.store.execute('DELETE FROM pipeline_runs');
  await here.store.execute('DELETE FROM pipelines');
  await here.engine.cleanUp();
  expect(await mpids()).toEqual(cleared);
  expect(await waiting()).toEqual([]);
  expect(lines).toEqual([]);
  await here.engine.cleanUp();
});

test('the cleanup says what it cannot clear of a deleted pipeline, and forgets it', async () => {
  await eraseAnn();
  await here.store.execute('UPDATE pipelines SET deleted_on = $1, connection_id = NULL', [new Date(0)]);
  await here.store.execute('DELETE FROM connections');
  await here.engine.cleanUp();
  expect(lines).toMatchObject([
    {
      ...{ msg: 'write_back.not_cleared', pipeline: 'people', connection: 'warehouse', table: 'people', mpids: 1 },
      reason: expect.stringContaining('was deleted. If the table still exists'),
    },
  ]);
  expect(await waiting()).toEqual([]);
  expect(await tables()).toEqual([]);
});

test('the cleanup forgets a lost table of a deleted pipeline after 30 days', async () => {
  await eraseAnn();
  await here.store.execute('UPDATE pipelines SET deleted_on = $1, connection_id = NULL', [new Date(0)]);
  await dropFile('DROP TABLE people');
  await here.engine.cleanUp();
  expect(lines).toMatchObject([{ msg: 'write_back.not_cleared', forgotten: false }]);
  expect(await waiting()).toHaveLength(1);
  here.clock.advance(31 * DAY_MS);
  await here.engine.cleanUp();
  expect(lines[1]).toMatchObject({ msg: 'write_back.not_cleared', forgotten: true });
  expect(await tables()).toEqual([]);
});

test('the cleanup keeps what it may clear later', async () => {
  const cleared = await eraseAnn();
  await here.store.execute('UPDATE pipelines SET deleted_on = $1, connection_id = NULL', [new Date(0)]);
  await here.store.execute("UPDATE connections SET state = 'inactive'");
  await here.engine.cleanUp();
  expect(lines).toMatchObject([{ msg: 'write_back.not_cleared', forgotten: false }]);
  await here.store.execute("UPDATE connections SET state = 'active'");
  await here.engine.cleanUp();
  expect(await mpids()).toEqual(cleared);
});

test('what waits for longer than a week stands in the log every day', async () => {
  await eraseAnn();
  const expire = () => expireAll({ ...here, log }, new AbortController().signal);
  here.clock.advance(6 * DAY_MS);
  await expire();
  expect(lines).toEqual([]);
  here.clock.advance(2 * DAY_MS);
  await expire();
  const waits = { msg: 'write_back.erased_waiting', pipeline: 'people', connection: 'warehouse', table: 'people' };
  expect(lines).toMatchObject([{ ...waits, mpids: 1 }]);
});

test('another way to sign in is the same place', async () => {
  await here.store.execute(
    `UPDATE connections SET config = '{"read_only":false,"database":"warehouse.duckdb"}', name = 'renamed'`,
  );
  await here.run(pipeline);
  expect(await tables()).toEqual([former]);
});

test('what an earlier Penstock has written stands in the table of the next run', async () => {
  const cleared = await eraseAnn();
  await here.store.execute(
    "UPDATE written_back_tables SET connection_id = 'x', place = '', table_name = '', mpid = ''",
  );
  expect(await here.run(pipeline)).toMatchObject({ warnings: [] });
  expect(await tables()).toEqual([former]);
  expect((await mpids()).slice(1)).toEqual(cleared.slice(1));
  expect(await waiting()).toEqual([]);
});
