// Facts of Redshift itself, which knows neither generate_series beside tables nor many types of PostgreSQL. They follow Amazon's
// documentation and were not run.
import type { Fixture } from '../../conformance/fixture.ts';
import { redshiftFixture } from '../../conformance/fixtures/redshift.ts';

const DIGITS =
  '(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';

/** Crosses digits: the leader alone has generate_series, and its rows cannot be joined with tables. */
function series(rows: number): string {
  const places = Array.from({ length: String(Math.max(rows - 1, 0)).length }, (_, place) => place);
  const sum = places.map((place) => `d${place}.d * ${10 ** place}`).join(' + ');
  const digits = places.map((place) => `${DIGITS} AS d${place}`).join(' CROSS JOIN ');
  return `(SELECT n FROM (SELECT CAST(${sum} AS INTEGER) AS n FROM ${digits}) AS counted WHERE n < ${rows}) AS series`;
}

/** Values that Redshift writes as PostgreSQL does. */
const SHARED: ReadonlySet<string> = new Set([
  ...['true', 'false', 'the greatest int64', 'the last safe integer', 'the first unsafe one', 'an int4', 'an int2'],
  ...['38 digits', 'zeros behind the point', 'a double', 'NULL', 'the text NULL', 'text beyond ASCII'],
  ...['a date', 'a time', 'a time of whole seconds', 'microseconds', 'tenths', 'whole seconds', 'before 1970'],
  ...['a timestamp with zone', 'whole seconds with zone'],
]);

const SHARED_ERRORS: ReadonlySet<string> = new Set([
  ...['a missing table', 'a missing schema', 'a missing column', 'a syntax error', 'a missing function'],
  ...['a zero byte', 'a statement that writes', 'two statements'],
]);

export const redshiftFacts: Fixture = {
  ...redshiftFixture,
  sql: {
    ...redshiftFixture.sql,
    series,
    // the leader keeps the rows of a cursor
    endless: 500_000,
    failsAt: (rows, at) =>
      `SELECT n, CAST(CASE WHEN n = ${at} THEN 'no number' ELSE '1' END AS INTEGER) AS value FROM ${series(rows)}`,
    failure: 'Invalid digit',
    slow: `SELECT count(*) AS rows FROM ${series(1_000_000)} CROSS JOIN ${series(1_000_000).replace(/series$/, 'others')} WHERE MOD(series.n + others.n, 7) = 3`,
    longestName: 127,
  },
  exact: redshiftFixture.exact.filter(({ what }) => SHARED.has(what)),
  errors: redshiftFixture.errors.filter(({ what }) => SHARED_ERRORS.has(what)),
  ...(redshiftFixture.writeBack && {
    writeBack: {
      types: { text: 'varchar(256)', integer: 'integer', mpid: 'bigint', narrow: 'smallint' },
      table: redshiftFixture.writeBack.table,
      literal: redshiftFixture.writeBack.literal,
      textOf: (expression: string) => `CAST(${expression} AS varchar)`,
      leftovers: redshiftFixture.writeBack.leftovers,
    },
  }),
  waivers: { 'own session state': 'Redshift has no settings of the session that a customer may name' },
};
