// docs/warehouse-sync-v1.md: its steps work as they stand there, and its tables name every field of version 1.
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { ConnectionAnswer, ConnectionBody } from '../../src/api-v1/contract/connection.ts';
import { DataModelAnswer, DataModelBody } from '../../src/api-v1/contract/data-model.ts';
import { PipelineAnswer, PipelineBody } from '../../src/api-v1/contract/pipeline.ts';
import { PipelineStatusAnswer, RunStatusAnswer } from '../../src/api-v1/contract/run.ts';
import * as ConnectionTwo from '../../src/pipelines/contract/connection.ts';
import * as DataModelTwo from '../../src/pipelines/contract/data-model.ts';
import * as PipelineTwo from '../../src/pipelines/contract/pipeline.ts';
import { ScheduleBody } from '../../src/pipelines/contract/schedule.ts';
import { SyncModeShape } from '../../src/pipelines/contract/sync-mode.ts';
import { RunAnswer } from '../../src/runs/contract/run.ts';
import {
  ADDRESS_ROWS,
  CONNECTION_ROWS,
  FEED_ROWS,
  type FieldRow,
  FOLLOWED_ROWS,
  MODEL_ROWS,
  PIPELINE_ROWS,
  READ_ONLY_ROWS,
  SECRET_ROWS,
} from '../support/apis/version-one-fields.ts';
import { openPostgresWarehouse } from '../support/fakes/postgres-warehouse.ts';
import { answers, beginGuide, blocksOf, FIRST_STEPS, pageOf } from '../support/runner/guide-shell.ts';

const PAGE = pageOf('warehouse-sync-v1.md');
const TEXT = readFileSync(PAGE, 'utf8');

/** Cells of a table of the page: what version 1 calls it, where version 2 has it, and what there is to know. */
function tableOf(name: string): readonly (readonly [string, string, string])[] {
  const [, table = ''] = TEXT.split(`<!-- ${name} -->`);
  const [own = ''] = table.split(`<!-- /${name} -->`);
  return own
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| version') && !line.startsWith('| ---'))
    .map((line) => line.split('|').slice(1, 4) as [string, string, string]);
}

const holds = (cell: string, name: string) => cell.includes(`\`${name}\``);
const AUDIT = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'];

describe('the tables', () => {
  const fieldsOf = (...shapes: readonly { readonly properties: object }[]) => [
    ...new Set(shapes.flatMap(({ properties }) => Object.keys(properties))),
  ];

  it.each([
    ['connection', fieldsOf(ConnectionAnswer, ConnectionBody)],
    ['model', fieldsOf(DataModelAnswer, DataModelBody)],
    ['pipeline', fieldsOf(PipelineAnswer, PipelineBody)],
    ['run', fieldsOf(PipelineStatusAnswer, RunStatusAnswer)],
  ])('of the %s name each of its fields', (name, fields) => {
    const table = tableOf(name);
    const missing = fields.filter((field) => !table.some(([inOne]) => holds(inOne, field)));
    const saidOnce = name === 'model' || name === 'pipeline' ? AUDIT : [];
    expect(missing).toEqual(saidOnce);
  });

  const below = (name: string, shape: { readonly properties: object }) =>
    fieldsOf(shape).map((field) => `${name}.${field}`);

  it.each([
    ['connection', fieldsOf(ConnectionTwo.ConnectionAnswer).filter((field) => field !== 'config')],
    ['model', [...fieldsOf(DataModelTwo.DataModelAnswer).filter((field) => field !== 'config'), 'config.sql_query']],
    [
      'pipeline',
      [
        ...fieldsOf(PipelineTwo.PipelineAnswer).filter((field) => field !== 'sync_mode' && field !== 'schedule'),
        ...[...below('sync_mode', SyncModeShape), ...below('schedule', ScheduleBody)],
      ],
    ],
    ['run', fieldsOf(RunAnswer)],
  ])('of the %s name each field of version 2', (name, fields) => {
    const isSame = (inOne: string, inTwo: string, field: string) => /\bsame\b/.test(inTwo) && holds(inOne, field);
    const missing = fields.filter(
      (field) => !tableOf(name).some(([inOne, inTwo]) => holds(inTwo, field) || isSame(inOne, inTwo, field)),
    );
    expect(missing).toEqual(name === 'model' || name === 'pipeline' ? AUDIT : []);
  });

  const places = (rows: readonly FieldRow[]) => rows.map(([field, , path]) => [field, path] as const);
  it.each([
    [
      'connection',
      [
        ...places(Object.values(CONNECTION_ROWS).flat()),
        ...[...ADDRESS_ROWS, ...SECRET_ROWS].map(([, field, path]) => [field, path] as const),
        ...READ_ONLY_ROWS.connection,
      ],
      fieldsOf(ConnectionBody),
    ],
    ['model', [...places([...MODEL_ROWS, ...FOLLOWED_ROWS]), ...READ_ONLY_ROWS.model], fieldsOf(DataModelBody)],
    ['pipeline', [...places(PIPELINE_ROWS), ...FEED_ROWS, ...READ_ONLY_ROWS.pipeline], fieldsOf(PipelineBody)],
  ])('of the %s say of each field where the round trips find it', (name, rows, written) => {
    const says = (field: string, path: string) =>
      tableOf(name).some(
        ([inOne, inTwo]) =>
          holds(inOne, field) &&
          (holds(inTwo, path) ||
            (/\bsame\b/.test(inTwo) && path === (holds(inTwo, 'config') ? `config.${field}` : field))),
      );
    expect(rows.filter(([field, path]) => !says(field, path))).toEqual([]);
    expect(written.filter((field) => !rows.some(([tried]) => tried === field))).toEqual([]);
  });
});

test('the steps, one by one', async () => {
  const [database = '', feed = '', define = '', run = '', retry = '', look = '', ...more] = blocksOf(PAGE);
  expect(more).toEqual([]);
  await using warehouse = await openPostgresWarehouse();
  await warehouse.seed([
    'CREATE TABLE buyers (customer_id text, email text, city text, updated_at timestamptz)',
    `INSERT INTO buyers VALUES ('c-1', 'ada@example.com', 'London', '2026-01-10T08:00:00Z'),
       ('c-2', 'grace@example.com', 'New York', '2026-01-11T09:30:00Z')`,
  ]);
  const { host, port, database: name, user, password } = warehouse.config;
  await using guide = await beginGuide();
  await guide.type(FIRST_STEPS.token);
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
