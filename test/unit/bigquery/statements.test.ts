import { describe, expect, it } from 'vitest';
import { clearSql, loadedSql, withholdSql } from '../../../connectors/_shared/write-back-sql.ts';
import { dialect, quoteIdentifier } from '../../../connectors/bigquery/dialect.ts';
import { filteredBy } from '../../../connectors/bigquery/partition-filter.ts';
import { CLOCK_SQL, ONE_SQL, readableSql } from '../../../connectors/bigquery/statements.ts';
import {
  ambiguousSql,
  conflictsSql,
  loadSql,
  mergeSql,
  type Search,
  type Staging,
  settleSql,
} from '../../../connectors/bigquery/write-back-sql.ts';
import { countNullIterators, countRows, ITERATOR_TYPES, wrapModel } from '../../../src/warehouse/index.ts';
import { loadParser } from '../../../src/warehouse/sql/parser.ts';

const STAGING: Staging = {
  target: {
    table: 'my-project.shop.people',
    key: [
      { name: 'customer_id', type: 'text', nativeType: 'STRING' },
      { name: 'n', type: 'integer', nativeType: 'INT64' },
    ],
    mpid: { name: 'MPID', type: 'integer', nativeType: 'INT64' },
  },
  table: quoteIdentifier('my-project.penstock.penstock_stg_7_3'),
};
const everyRow = (alias: string) => `(${alias}.day IS NULL OR ${alias}.day IS NOT NULL)`;
const model = { sql: 'SELECT a, at FROM shop.t', dialect };
const ranges = ITERATOR_TYPES.map((type) => ({ column: 'at', type, start: 'x', end: 'y' }));

const textsOf = ({ count, list }: Search) => [count, list(10)];

const STATEMENTS: readonly string[] = [
  CLOCK_SQL,
  ONE_SQL,
  readableSql(quoteIdentifier('my-project.shop.t')),
  ...ranges.map((range) => wrapModel({ ...model, range }).sql),
  wrapModel({ ...model, limit: 5 }).sql,
  countRows(model).sql,
  countNullIterators(model.sql, dialect, 'at').sql,
  loadSql(STAGING, 2_000_000),
  ...textsOf(ambiguousSql(STAGING)),
  settleSql(STAGING),
  mergeSql(STAGING),
  mergeSql({ ...STAGING, everyRow }),
  ...textsOf(conflictsSql(STAGING)),
  ...textsOf(conflictsSql({ ...STAGING, everyRow })),
  filteredBy({ sql: model.sql, parameters: {} }, 'day').sql,
  loadedSql({ staging: STAGING.table }),
  ...withholdSql({ staging: STAGING.table }, [1n, 2n ** 63n - 1n]),
  // the parser knows no hyphen in the table of an UPDATE, BigQuery does
  ...clearSql({ ...STAGING.target, table: 'shop.people' }, quoteIdentifier, [1n, -5n]),
];

describe('every statement the connector sends', () => {
  it.each(STATEMENTS)('is read by BigQuery’s grammar as one: %s', async (sql) => {
    const parsed = (await loadParser()).parse(sql, 'bigquery');
    expect(parsed).toMatchObject({ outcome: 'parsed' });
    if (parsed.outcome === 'parsed') expect(parsed.statements).toHaveLength(1);
  });

  it('casts the bound and leaves the column alone', () => {
    expect(ranges.map((range) => wrapModel({ ...model, range }).sql.split(' WHERE ')[1])).toEqual(
      ['DATETIME', 'TIMESTAMP', 'TIMESTAMP', 'DATETIME', 'DATE', 'INT64', 'INT64'].map(
        (type) =>
          `penstock_model.\`at\` >= CAST(@range_start AS ${type}) AND penstock_model.\`at\` < CAST(@range_end AS ${type})`,
      ),
    );
  });

  it('quotes names with the escapes of a string', () => {
    expect(quoteIdentifier('a`b\\c')).toBe('`a\\`b\\\\c`');
  });
});
