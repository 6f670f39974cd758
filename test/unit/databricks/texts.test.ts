import { describe, expect, it } from 'vitest';
import { estimateOf } from '../../../connectors/databricks/estimate.ts';
import { shortestFloat, textReader } from '../../../connectors/databricks/rows/texts.ts';
import type { ColumnType } from '../../../src/warehouse/index.ts';

describe('the server’s text of a value', () => {
  it.each<readonly [ColumnType, string, unknown]>([
    ['integer', '9007199254740991', 9007199254740991],
    ['integer', '-9223372036854775808', -9223372036854775808n],
    ['decimal', '-0.00', '-0.00'],
    ['decimal', '0E-18', '0.000000000000000000'],
    ['decimal', '1.5E-7', '0.00000015'],
    ['decimal', '-1.23E+3', '-1230'],
    ['decimal', '1.2345E2', '123.45'],
    ['double', '-Infinity', Number.NEGATIVE_INFINITY],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '+12345-06-07', '+012345-06-07'],
    ['date', '-0043-03-15', '-000043-03-15'],
    ['timestamp', '2024-01-01 01:02:03.5', '2024-01-01T01:02:03.500000'],
    ['timestamp_tz', '0001-01-01 00:00:00', '0001-01-01T00:00:00.000000Z'],
    ['time', '23:59:59.1', '23:59:59.100000'],
    ['boolean', 'true', true],
  ])('%s %s', (type, text, cell) => {
    expect(textReader(type)?.(text)).toEqual(cell);
  });

  it.each(['2024', '2024-01-01 1:2', '2024-01-01 00:00:00+01:00', 'today 00:00:00'])('a time %j is refused', (text) => {
    expect(() => textReader('timestamp')?.(text)).toThrow('cannot be read');
  });

  it.each([0.1, 1 / 3, 16_777_216, 3.4028234663852886e38, 1.401298464324817e-45])('the float of %d', (value) => {
    const float = Math.fround(value);
    expect(Math.fround(shortestFloat(float))).toBe(float);
    expect(String(shortestFloat(float)).length).toBeLessThanOrEqual(String(float).length);
  });
});

describe('the estimate', () => {
  const PLAN = `== Optimized Logical Plan ==
Aggregate [count(1) AS n#1L], Statistics(sizeInBytes=16.0 B, rowCount=1)
+- Join Inner, (id#1L = id#2L), Statistics(sizeInBytes=1.5E+3 KiB)
   :- Filter (a#3 > 1), Statistics(sizeInBytes=8.0 B)
   :  +- Relation main.s.t[a#3] parquet, Statistics(sizeInBytes=2.0 MiB, rowCount=1.00E+3)
   +- Range (0, 10, step=1), Statistics(sizeInBytes=80.0 B, rowCount=10)

== Physical Plan ==
Scan, Statistics(sizeInBytes=9.0 GiB)`;

  it('is the bytes of the leaves, and the rows of the root', () => {
    expect(estimateOf(PLAN)).toEqual({ unit: 'bytes', amount: 2 * 1024 * 1024 + 80, rows: 1 });
  });

  it('is the failure that stands where the plan would', () => {
    const text = 'org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] No t. SQLSTATE: 42P01; line 1';
    expect(() => estimateOf(text)).toThrow(expect.objectContaining({ sqlState: '42P01' }));
    expect(() => estimateOf('')).toThrow('returned no plan');
  });
});
