// Every statement that the connector can send, read by the grammar that models are held to.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  clearSql,
  conflictsSql,
  loadedSql,
  type StagingSql,
  sameTextBy,
  updateSql,
  withholdSql,
} from '../../../connectors/_shared/write-back-sql.ts';
import { dialect } from '../../../connectors/snowflake/dialect.ts';
import { bindSql } from '../../../connectors/snowflake/link/bind.ts';
import * as own from '../../../connectors/snowflake/statements.ts';
import {
  countNullIterators,
  countRows,
  ITERATOR_TYPES,
  type Statement,
  wrapModel,
} from '../../../src/warehouse/index.ts';
import { loadParser, type SqlParser } from '../../../src/warehouse/sql/parser.ts';

const MODEL = 'SELECT customer_id, "Moved at" FROM analytics.public.people -- the newest';

const RANGES = ITERATOR_TYPES.flatMap((type) =>
  [{ start: 'a', end: 'b' }, { start: 'a' }, { end: 'b' }].map((ends) => ({ column: 'Moved at', type, ...ends })),
);
const WRAPPED: readonly Statement[] = [
  wrapModel({ sql: MODEL, dialect }),
  wrapModel({ sql: MODEL, dialect, limit: 100 }),
  countNullIterators(MODEL, dialect, 'Moved at'),
  ...RANGES.flatMap((range) => [wrapModel({ sql: MODEL, dialect, range }), countRows({ sql: MODEL, dialect, range })]),
];

const STAGING: StagingSql = {
  target: {
    table: 'shop.public.people',
    key: [
      { name: 'CUSTOMER_ID', type: 'text', nativeType: 'TEXT' },
      { name: 'Odd "one"', type: 'integer', nativeType: 'NUMBER(38,0)' },
    ],
    mpid: { name: 'MPID', type: 'integer', nativeType: 'NUMBER(38,0)' },
  },
  staging: 'SHOP.penstock.penstock_stg_x_1_1',
  quote: dialect.quoteIdentifier,
  sameText: sameTextBy(dialect),
};

const EMITTED: readonly string[] = [
  ...WRAPPED.map((statement) => bindSql(statement).text),
  own.settingsSql(60_000),
  own.CLOCK_SQL,
  own.VISIBLE_TABLES_SQL,
  own.BEGIN,
  own.COMMIT,
  own.createStagingSql(STAGING),
  own.loadSql(STAGING.staging, ['VARCHAR', 'NUMBER(38,0)']),
  loadedSql(STAGING),
  ...withholdSql(STAGING, [1n, 2n]),
  updateSql(STAGING, [false, true]),
  conflictsSql(STAGING, [false, false], 10),
  ...clearSql(STAGING.target, dialect.quoteIdentifier, [1n]),
];

let parser: SqlParser;
beforeAll(async () => {
  parser = await loadParser();
});

describe('a statement', () => {
  it.each(EMITTED)('%s', (sql) => {
    const parsed = parser.parse(sql, 'snowflake');
    expect(parsed).toMatchObject({ outcome: 'parsed' });
    expect(parsed.outcome === 'parsed' && parsed.statements).toHaveLength(1);
  });

  it('of EXPLAIN is the statement itself behind two words of Snowflake’s own', () => {
    expect(own.explainSql('SELECT 1')).toBe('EXPLAIN USING JSON SELECT 1');
  });

  it('has a place for each bound value and leaves the column alone', () => {
    const [both] = RANGES.filter(({ type }) => type === 'timestamp_tz');
    const { text, values } = bindSql(wrapModel({ sql: MODEL, dialect, ...(both && { range: both }) }));
    expect(text).toContain(`penstock_model."Moved at" >= TO_TIMESTAMP_TZ(?, 'YYYY-MM-DD"T"HH24:MI:SS.FF6TZH:TZM')`);
    expect(values).toEqual(['a', 'b']);
  });

  it('keeps a tag to what QUERY_TAG takes', () => {
    expect(own.queryTag('x'.repeat(5000))).toHaveLength(2000);
  });
});
