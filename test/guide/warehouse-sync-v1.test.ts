// docs/warehouse-sync-v1.md: its steps work as they stand there, and its tables name every field of version 1.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ConnectionAnswer, ConnectionBody } from '../../src/sync/v1/contract/connection.ts';
import { DataModelAnswer, DataModelBody } from '../../src/sync/v1/contract/data-model.ts';
import { PipelineAnswer, PipelineBody } from '../../src/sync/v1/contract/pipeline.ts';
import { PipelineStatusAnswer, RunStatusAnswer } from '../../src/sync/v1/contract/run.ts';
import { README } from '../../tools/readme-tables.ts';
import { answers, beginGuide, blocksOf } from '../support/guide-shell.ts';
import { ROOT } from '../support/penstock-process.ts';
import { openPostgresWarehouse } from '../support/postgres-warehouse.ts';

const PAGE = join(ROOT, 'docs/warehouse-sync-v1.md');
const TEXT = readFileSync(PAGE, 'utf8');

describe('the tables', () => {
  const fieldsOf = (...shapes: readonly { readonly properties: object }[]) =>
    shapes.flatMap(({ properties }) => Object.keys(properties));
  const AUDIT = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'];

  it.each([
    ['connection', fieldsOf(ConnectionAnswer, ConnectionBody)],
    ['model', fieldsOf(DataModelAnswer, DataModelBody)],
    ['pipeline', fieldsOf(PipelineAnswer, PipelineBody)],
    ['run', fieldsOf(PipelineStatusAnswer, RunStatusAnswer)],
  ])('of the %s name each of its fields', (name, fields) => {
    const [, table = ''] = TEXT.split(`<!-- ${name} -->`);
    const [own = ''] = table.split(`<!-- /${name} -->`);
    const named = own
      .split('\n')
      .map((line) => line.split('|')[1] ?? '')
      .join(' ');
    const missing = [...new Set(fields)].filter((field) => !named.includes(`\`${field}\``));
    expect(missing.filter((field) => name === 'connection' || !AUDIT.includes(field))).toEqual([]);
  });
});

test('the steps, one by one', async () => {
  const [begin = '', names = '', , token = ''] = blocksOf(README, 'Define your own pipeline');
  const [database = '', feed = '', define = '', run = '', retry = '', look = '', ...more] = blocksOf(
    PAGE,
    'Step by step',
  );
  expect(more).toEqual([]);
  await using warehouse = await openPostgresWarehouse();
  await warehouse.seed([
    'CREATE TABLE buyers (customer_id text, email text, city text, updated_at timestamptz)',
    `INSERT INTO buyers VALUES ('c-1', 'ada@example.com', 'London', '2026-01-10T08:00:00Z'),
       ('c-2', 'grace@example.com', 'New York', '2026-01-11T09:30:00Z')`,
  ]);
  const { host, port, database: name, user, password } = warehouse.config;
  await using guide = await beginGuide(begin, names);
  await guide.type(token);
  await guide.type(
    database
      .replace('db.example.com', host)
      .replace('DB_PORT=5432', `DB_PORT=${port}`)
      .replace('DB_NAME=shop', `DB_NAME=${name}`)
      .replace('DB_USER=penstock', `DB_USER=${user}`)
      .replace('DB_PASSWORD=…', `DB_PASSWORD='${password}'`),
  );
  await guide.type(feed);
  expect(answers(await guide.type(define))).toMatchObject([
    { id: 'shop-v1', type: 'gamma', is_faulted: false, host },
    { id: 'buyers', load_timestamp_field_name: 'updated_at' },
    { id: 'buyers-to-profiles', is_active: true, is_draft: false, is_faulted: false, schedule_interval: 'on_demand' },
  ]);
  const done = { pipeline_run_state: 'success', records_extracted: 2, records_mapped: 2, event_batches_generated: 2 };
  expect(answers(await guide.type(run))).toMatchObject([
    { status: 'attempt_requested' },
    { is_active: true, is_faulted: false, latest_pipeline_run: done },
    done,
  ]);
  expect(answers(await guide.type(retry))).toMatchObject([
    { statusCode: 400, errors: [{ message: expect.stringContaining('succeeded') }] },
  ]);
  expect(answers(await guide.type(look))).toMatchObject([
    { pipeline_type: 'user_attributes', sync_mode: { type: 'incremental', iterator_field: 'updated_at' } },
  ]);
}, 900_000);
