import { describe, expect, it } from 'vitest';
import { dialect } from '../../../connectors/databricks/dialect.ts';
import { bindSql, unboundSql } from '../../../connectors/databricks/render.ts';
import { parseShape } from '../../../connectors/databricks/rows/shapes.ts';
import { tagText } from '../../../connectors/databricks/statement.ts';
import {
  CLOCK_SQL,
  describeSql,
  explainSql,
  openingSql,
  peekSql,
  readSql,
  SHOW_TABLES_SQL,
  typesSql,
} from '../../../connectors/databricks/statements.ts';
import { countNullIterators, ITERATOR_TYPES, type Statement, wrapModel } from '../../../src/warehouse/index.ts';
import { loadParser } from '../../../src/warehouse/sql/parser.ts';

const MODEL = 'SELECT customer_id, `Moved at`, tags FROM main.analytics.people -- the newest';

/** What the engine makes of a model, for every iterator type and every combination of ends. */
const WRAPPED: readonly Statement[] = [
  wrapModel({ sql: MODEL, dialect }),
  countNullIterators(MODEL, dialect, 'Moved at'),
  ...ITERATOR_TYPES.flatMap((type) =>
    [{ start: '1', end: 2n }, { start: '1' }, { end: 2n }].map((ends) =>
      wrapModel({ sql: MODEL, dialect, range: { column: 'Moved at', type, ...ends } }),
    ),
  ),
];
const SHAPES = ['bigint', 'timestamp', 'array<struct<at:timestamp,by:map<int,binary>>>', 'variant'].map(parseShape);

const queries = WRAPPED.map((statement) => bindSql(statement).text);
/** Each query as it is sent, and as a question about it is. */
const emitted: readonly string[] = [
  ...[CLOCK_SQL, peekSql('odd `table')],
  ...queries,
  ...queries.map((sql) => readSql(sql, SHAPES)),
  ...WRAPPED.map((statement) => describeSql(statement).replace('DESCRIBE QUERY ', 'SELECT * FROM ')),
  ...WRAPPED.map((statement) => typesSql(statement, { columns: 4, wanted: [1, 3] })),
  ...WRAPPED.map((statement) => explainSql(statement).replace('EXPLAIN COST ', 'SELECT * FROM ')),
];

describe('the statements the connector sends', () => {
  it('are each one SELECT to the grammar of the gate', async () => {
    const parser = await loadParser();
    const faults = emitted.flatMap((sql) => {
      const parsed = parser.parse(sql, dialect.grammar);
      const kinds = parsed.outcome === 'parsed' ? parsed.statements.map(kindOf) : [parsed];
      return kinds.length === 1 && kinds[0] === 'select' ? [] : [[sql, kinds]];
    });
    expect(faults).toEqual([]);
  });

  it('beside queries only set up, show and ask', () => {
    expect(openingSql({ catalog: 'ma`in', schema: 's' })).toEqual([
      "SET TIME ZONE 'UTC'",
      'SET CATALOG `ma``in`',
      'USE SCHEMA `s`',
    ]);
    expect(openingSql({ schema: 's' })).toHaveLength(2);
    expect(SHOW_TABLES_SQL).toBe('SHOW TABLES');
    expect(describeSql({ sql: 'SELECT 1 -- x', parameters: {} })).toBe('DESCRIBE QUERY (\nSELECT 1 -- x\n)');
    expect(explainSql({ sql: 'SELECT 1', parameters: {} })).toBe('EXPLAIN COST (\nSELECT 1\n)');
  });

  it('are sent as they are where every column is exact, else read by position', () => {
    expect(readSql('SELECT a', [parseShape('decimal(38,9)')])).toBe('SELECT a');
    expect(readSql('SELECT a, b', [parseShape('int'), parseShape('array<decimal(9,2)>')])).toBe(
      "SELECT c0, to_json(CAST(c1 AS ARRAY<STRING>), map('ignoreNullFields', 'false')) AS c1 FROM (\nSELECT a, b\n) AS penstock_rows(c0, c1)",
    );
  });
});

describe('bound values', () => {
  const statement: Statement = {
    sql: `SELECT ':x' FROM t WHERE a >= ${dialect.placeholder('from')} AND b < ${dialect.placeholder('from')} AND c = ${dialect.placeholder('n')}`,
    parameters: { from: "'; DROP TABLE t", n: -1n },
  };

  it('are parameters by name, each once, as text', () => {
    expect(bindSql(statement)).toEqual({
      text: "SELECT ':x' FROM t WHERE a >= :penstock_from AND b < :penstock_from AND c = :penstock_n",
      parameters: [
        { name: 'penstock_from', value: "'; DROP TABLE t" },
        { name: 'penstock_n', value: '-1' },
      ],
    });
  });

  it('are nothing where only the shape is asked for', () => {
    expect(unboundSql(statement)).not.toContain('DROP');
    expect(unboundSql(statement).match(/CAST\(NULL AS STRING\)/g)).toHaveLength(3);
  });
});

describe('tags of the query history', () => {
  it('are written as the SDK writes them, and cut to what the product keeps', () => {
    expect(tagText({ pipeline: 'a,b:c\\d', run: '7' })).toBe(String.raw`pipeline:a\,b\:c\\d,run:7`);
    expect(tagText({ run: 'x'.repeat(500) })).toHaveLength('run:'.length + 128);
  });
});

function kindOf(statement: unknown): string {
  return Object.keys(statement as object)[0] ?? '';
}
