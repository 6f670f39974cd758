import { describe, expect, it } from 'vitest';
import {
  countNullIterators,
  type Dialect,
  findColumn,
  parseIteratorType,
  requireDistinctColumns,
  wrapModel,
} from '../../../src/warehouse/index.ts';

const dialect: Dialect = {
  grammar: 'duckdb',
  quoteIdentifier: (name) => `"${name.replaceAll('"', '""')}"`,
  exactText: (expression) => expression,
  placeholder: (name) => `$${name}`,
  castBound: (placeholder, type) => `${placeholder}::${type}`,
  iteratorAliases: { timestamptz: 'timestamp_tz' },
};

describe('a wrapped model', () => {
  it('is half-open, casts the parameter and leaves the column alone', () => {
    const statement = wrapModel({
      sql: 'select * from t',
      dialect,
      range: { column: 'odd "name', type: 'date', start: '2024-01-01', end: '2024-01-02' },
    });
    expect(statement).toEqual({
      sql: `SELECT * FROM (\nselect * from t\n) AS penstock_model WHERE penstock_model."odd ""name" >= $range_start::date AND penstock_model."odd ""name" < $range_end::date`,
      parameters: { range_start: '2024-01-01', range_end: '2024-01-02' },
    });
  });

  it('is a subquery without bounds as well, where only a query can stand', () => {
    const all = { sql: 'SELECT * FROM (\nselect 1\n) AS penstock_model', parameters: {} };
    expect(wrapModel({ sql: 'select 1', dialect })).toEqual(all);
    expect(wrapModel({ sql: 'select 1', dialect, range: { column: 'a', type: 'date' } })).toEqual(all);
  });

  it('binds only the bound that is there', () => {
    const range = { column: 'a', type: 'timestamp_unixtime_s', end: 5n } as const;
    expect(wrapModel({ sql: 'select 1 as a', dialect, range })).toMatchObject({
      sql: expect.stringContaining('WHERE penstock_model."a" < $range_end::timestamp_unixtime_s'),
      parameters: { range_end: 5n },
    });
  });

  it('counts the rows that no window can see', () => {
    expect(countNullIterators('select 1 as a', dialect, 'a').sql).toContain('WHERE penstock_model."a" IS NULL');
  });
});

describe('iterator types', () => {
  it.each([
    ['timestamp', 'timestamp'],
    ['TIMESTAMP_TZ', 'timestamp_tz'],
    ['datetime_tz', 'timestamp_tz'],
    ['DateTime', 'timestamp_ntz'],
    [' timestamptz ', 'timestamp_tz'],
    ['timestamp_unixtime_ms', 'timestamp_unixtime_ms'],
    ['text', undefined],
    ['constructor', undefined],
  ])('reads %j as %j', (name, type) => {
    expect(parseIteratorType(name, dialect)).toBe(type);
  });
});

describe('columns', () => {
  const columns = ['a', 'A', 'Bee'].map((name) => ({ name, type: 'text', nativeType: 'VARCHAR' }) as const);

  it('are found by their text first, then by the only one that differs in case', () => {
    expect(findColumn(columns, 'A')?.name).toBe('A');
    expect(findColumn(columns, 'BEE')?.name).toBe('Bee');
    expect(findColumn(columns, 'c')).toBeUndefined();
    expect(findColumn([...columns, { name: 'bEE', type: 'text', nativeType: 'VARCHAR' }], 'BEE')).toBeUndefined();
  });

  it('of one name are an error', () => {
    expect(requireDistinctColumns(columns)).toBe(columns);
    expect(() => requireDistinctColumns(columns, (name) => name.toLowerCase())).toThrow(
      'two columns with the name "A"',
    );
  });
});
