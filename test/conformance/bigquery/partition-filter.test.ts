// Tables with `require_partition_filter`: a server that refuses what has no filter on the partition column, in Google's words.
import { describe, expect, it } from 'vitest';
import { dialect } from '../../../connectors/bigquery/dialect.ts';
import { countNullIterators, type WriteBackRequest, wrapModel } from '../../../src/warehouse/index.ts';
import type { QueryAnswer, QueryEngine, WireError, WireField } from '../../support/bigquery/jobs-api.ts';
import { openScripted } from '../../support/bigquery/scripted.ts';
import { NEVER, readAll, requestOf, statement } from '../reading.ts';

const FIELDS: readonly WireField[] = [
  { name: 'id', type: 'INTEGER' },
  { name: 'day', type: 'DATE' },
];
const MODEL = 'SELECT id, day FROM shop.people';
const ROWS: QueryAnswer = { fields: FIELDS, rows: [{ f: [{ v: '1' }, { v: '2026-01-01' }] }] };

/** A filter on the column that BigQuery can use, whatever alias stands before it. */
const FILTERED = /\.`day` (?:>= CAST\(@range_start AS DATE\)|IS NULL)/;

function refusal(names = "'day'"): WireError {
  const message = `Cannot query over table 'my-project.shop.people' without a filter over column(s) ${names} that can be used for partition elimination`;
  return { status: 400, reason: 'invalidQuery', message };
}

/** Refuses statements over the table that have no filter; `affectedRows` is the answer to those that write. */
function guarded(answerOf: (query: string) => QueryAnswer, names?: string): Partial<QueryEngine> {
  const require = (query: string) => {
    if (/\bFROM shop\.people\b|\b(?:MERGE INTO|UPDATE) shop\.people\b/.test(query) && !FILTERED.test(query))
      throw refusal(names);
  };
  return {
    async run({ query }) {
      require(query);
      return answerOf(query);
    },
    async describe({ query }) {
      require(query);
      return { fields: FIELDS, statementType: /^\s*(\w+)/.exec(query)?.[1] ?? '' };
    },
  };
}

describe('a model over a table that requires a partition filter', () => {
  it('is described, estimated and read by the range of its iterator', async () => {
    await using scripted = await openScripted(
      ROWS,
      guarded(() => ROWS),
    );
    await using session = await scripted.open();
    const columns = await session.describe({ ...statement(MODEL), iterator: 'day' }, NEVER);
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'integer'],
      ['day', 'date'],
    ]);
    const range = { column: 'day', type: 'date', start: '2026-01-01', end: '2026-01-02' } as const;
    const wrapped = wrapModel({ sql: MODEL, dialect, range });
    expect(await session.estimate?.(wrapped, NEVER)).toEqual({ unit: 'bytes', amount: 1024 });
    expect((await readAll(session, requestOf(wrapped.sql))).rows).toHaveLength(1);
    const counted = countNullIterators(MODEL, dialect, 'day');
    expect((await readAll(session, requestOf(counted.sql))).rows).toHaveLength(1);
  });

  it('is previewed by its last week', async () => {
    await using scripted = await openScripted(
      ROWS,
      guarded(() => ROWS),
    );
    await using session = await scripted.open();
    expect(session.previewRange?.(MODEL)).toBeUndefined();
    await session.describe(statement(MODEL), NEVER);
    const range = session.previewRange?.(MODEL);
    expect(range).toMatchObject({ column: 'day', type: 'date', start: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
    const daysAgo = (Date.now() - Date.parse(String(range?.start))) / 86_400_000;
    expect(Math.floor(daysAgo)).toBe(7);
    const preview = wrapModel({ sql: MODEL, dialect, range, limit: 5 });
    expect((await readAll(session, requestOf(preview.sql))).rows).toHaveLength(1);
  });

  it('is described by its iterator where the partition column has another name in it', async () => {
    await using scripted = await openScripted(
      ROWS,
      guarded(() => ROWS, "'created'"),
    );
    scripted.api.fault = ({ body }) =>
      body.includes('`created`')
        ? { status: 400, body: JSON.stringify({ error: { code: 400, message: 'x', errors: [UNKNOWN_NAME] } }) }
        : undefined;
    await using session = await scripted.open();
    await expect(session.describe({ ...statement(MODEL), iterator: 'day' }, NEVER)).resolves.toHaveLength(2);
  });

  it('is described by its iterator where the table is partitioned by the time of ingestion', async () => {
    await using scripted = await openScripted(
      ROWS,
      guarded(() => ROWS, "'_PARTITION_LOAD_TIME', '_PARTITIONTIME'"),
    );
    await using session = await scripted.open();
    await expect(session.describe({ ...statement(MODEL), iterator: 'day' }, NEVER)).resolves.toHaveLength(2);
  });

  it.each([
    ["'_PARTITION_LOAD_TIME', '_PARTITIONDATE', '_PARTITIONTIME'", undefined],
    ["'created'", 'id'],
  ])('says what to do where no column of the model is a filter: %s', async (names, iterator) => {
    await using scripted = await openScripted(
      ROWS,
      guarded(() => ROWS, names),
    );
    await using session = await scripted.open();
    await expect(session.describe({ ...statement(MODEL), iterator }, NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_SQL_INVALID',
      message: expect.stringMatching(/without a filter .* Filter the partitions in the model/),
    });
  });
});

const UNKNOWN_NAME = { reason: 'invalidQuery', message: 'Name created not found inside penstock_model at [3:30]' };

describe('a table that MPIDs are written back to and that requires a partition filter', () => {
  const target = {
    table: 'shop.people',
    key: [{ name: 'id', type: 'integer', nativeType: 'INT64' }],
    mpid: { name: 'MPID', type: 'integer', nativeType: 'INT64' },
  } as const;
  const request: WriteBackRequest = {
    target,
    rows: Object.assign([{ key: [1n], readMpid: null, mpid: 7n }]),
    staging: 'penstock_stg_1',
    beforeUpdate: async () => [],
    mostListed: 10,
  };

  async function openWriting(table: object) {
    const answers = (query: string): QueryAnswer => {
      if (/^SELECT count\(\*\) AS loaded/.test(query)) return { fields: [], rows: [{ f: [{ v: '1' }] }] };
      return { fields: [], rows: [], affectedRows: 1 };
    };
    return await openScripted(ROWS, {
      ...guarded(answers),
      other: async ({ path }) => ({ status: 200, body: path.endsWith('/tables/people') ? table : { location: 'EU' } }),
    });
  }

  it.each([
    { requirePartitionFilter: true, timePartitioning: { type: 'DAY', field: 'day' } },
    { timePartitioning: { type: 'DAY', field: 'day', requirePartitionFilter: true } },
    { requirePartitionFilter: true, rangePartitioning: { field: 'day' } },
  ])('is merged and cleared with one that keeps every row: %j', async (table) => {
    await using scripted = await openWriting(table);
    await using session = await scripted.open({}, { writes: true });
    await expect(session.writeBack?.apply(request, NEVER)).resolves.toMatchObject({ updated: 1, conflicts: 0 });
    await expect(session.writeBack?.clear(target, [7n], NEVER)).resolves.toBe(1);
  });

  it('is left without one where it requires none', async () => {
    await using scripted = await openWriting({ timePartitioning: { type: 'DAY', field: 'day' } });
    await using session = await scripted.open({}, { writes: true });
    await expect(session.writeBack?.apply(request, NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_SQL_INVALID' });
  });
});
