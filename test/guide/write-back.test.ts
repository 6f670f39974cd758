import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { IDENTITY_COLUMNS } from '../../src/identity/index.ts';
import { checkWriteBackModel } from '../../src/warehouse/index.ts';
import { openPostgresWarehouse } from '../support/fakes/postgres-warehouse.ts';
import { commandLine } from '../support/runner/command-line.ts';
import { answers, beginGuide, blocksOf, FIRST_STEPS, pageOf } from '../support/runner/guide-shell.ts';

const PAGE = pageOf('write-back.md');
const guide = readFileSync(PAGE, 'utf8');
const { run } = commandLine({});

test('the command that prepares a warehouse prints statements as it stands there', async () => {
  const [, written = ''] = /penstock (warehouse setup-sql (?:[^\n\\]|\\\n)*)/.exec(guide) ?? [];
  const words = written.split('>')[0]?.replaceAll('\\\n', ' ').trim().split(/\s+/) ?? [];
  const { code, out } = await run(...words);
  expect([code, out]).toEqual([0, expect.stringContaining('ON TABLE "public"."people" TO GROUP "penstock"')]);
});

test('every provider of the guide takes what its line names', async () => {
  const lines = [...guide.matchAll(/^ *\| `(\w+)`[^|]* \| (.*?--.*?) \|/gm)];
  expect(lines.map(([, provider]) => provider)).toEqual(['alpha', 'beta', 'gamma', 'delta', 'duckdb']);
  for (const [, provider = '', inputs = ''] of lines) {
    const options = [...inputs.matchAll(/--[a-z-]+/g)].map(([option]) => option);
    const { err } = await run(
      'warehouse',
      'setup-sql',
      '--provider',
      provider,
      // a file without a key
      ...options.flatMap((name) => [name, name === '--public-key' ? import.meta.filename : "'"]),
    );
    // each of them has a form, which this is not, and none is missing or foreign
    expect(err.match(/--[a-z-]+: must be/g)).toHaveLength(options.length);
    expect(err).not.toMatch(/is required|does not apply/);
  }
});

test('the model of the guide keeps the rules, in every grammar', async () => {
  const [, sql = ''] = /```sql\n\s*([^`]*)```/.exec(guide) ?? [];
  for (const grammar of ['snowflake', 'bigquery', 'postgresql', 'redshift', 'databricks', 'duckdb']) {
    expect(await checkWriteBackModel(sql, { grammar }, IDENTITY_COLUMNS)).toMatchObject({ outcome: 'accepted' });
  }
});

test('the steps, one by one', async () => {
  const [feed = '', define = '', look = '', ...more] = blocksOf(PAGE);
  expect(more).toEqual([]);
  await using warehouse = await openPostgresWarehouse();
  const { host, port, database, user, password } = warehouse.config;
  await warehouse.seed([
    'CREATE TABLE buyers (customer_id text, email text, city text, mpid bigint)',
    `INSERT INTO buyers VALUES ('c-1', 'ada@example.com', 'London', NULL), ('c-2', NULL, 'New York', NULL),
       (NULL, NULL, 'Nowhere', NULL), ('c-1', 'ada@example.com', 'Paris', NULL)`,
    `GRANT UPDATE (mpid) ON buyers TO ${user}`,
  ]);
  await using shell = await beginGuide();
  await shell.type(FIRST_STEPS.token);
  await shell.type(
    feed
      .replace('db.example.com', host)
      .replace('DB_PORT=5432', `DB_PORT=${port}`)
      .replace('DB_NAME=shop', `DB_NAME=${database}`)
      .replace('DB_USER=penstock', `DB_USER=${user}`)
      .replace('DB_PASSWORD=…', `DB_PASSWORD='${password}'`),
  );
  expect(answers(await shell.type(define))).toMatchObject([
    { id: 'shop-table', status: 'healthy' },
    { id: 'buyers-unknown', status: 'valid' },
    { id: 'buyers-to-mpids', errors: [] },
  ]);
  const run = {
    status: 'success',
    extracted_records: 4,
    failed_records: 1,
    written_records: 3,
    conflicting_records: 0,
  };
  expect(answers(await shell.type(look)).slice(1)).toMatchObject([{ latest_pipeline_run: run }, { items: [] }]);
  const [london, york, nowhere, paris] = (await warehouse.ask('SELECT mpid FROM buyers ORDER BY city COLLATE "C"')).map(
    ({ mpid }) => mpid,
  );
  expect(london).toMatch(/^[1-9]\d+$/);
  expect([york === london, nowhere, paris]).toEqual([false, null, london]);
}, 900_000);
