import type { Fixture } from '../../conformance/fixture.ts';
import { bigqueryFixture } from '../../conformance/fixtures/bigquery.ts';
import { databricksFixture } from '../../conformance/fixtures/databricks.ts';
import { redshiftFixture } from '../../conformance/fixtures/redshift.ts';
import { PREPARATION } from '../../conformance/fixtures/redshift-values.ts';
import { snowflakeFixture } from '../../conformance/fixtures/snowflake.ts';
import type { VendorName } from '../vendors.ts';
import { redshiftFacts } from './redshift-facts.ts';

/** Types that only a superuser can make, in place of those of extensions. */
const OF_SUPERUSER = /\b(?:vector|vector_(?:in|out)|gis)\b/;

const FACTS: Readonly<Record<VendorName, Fixture>> = {
  snowflake: {
    ...snowflakeFixture,
    sql: {
      ...snowflakeFixture.sql,
      ...seriesOf(snowflakeSeries, "CAST(CASE WHEN n = # THEN 'no number' ELSE '1' END AS INTEGER)"),
    },
  },
  bigquery: {
    ...bigqueryFixture,
    sql: {
      ...bigqueryFixture.sql,
      endless: 1_000_000,
      // letters, marks, digits, connectors, spaces and some signs: https://cloud.google.com/bigquery/docs/schemas#flexible-column-names
      refusedNames: [`qu"ote'd`, 'semi;colon', '日本語😀'],
      oddNames: { table: 'Odd-table 1', column: 'Key 1' },
    },
  },
  redshift: redshiftFacts,
  postgresql: {
    ...redshiftFixture,
    errors: withoutGrants(redshiftFixture),
    exact: redshiftFixture.exact.filter(({ sql }) => !OF_SUPERUSER.test(sql)),
  },
  databricks: databricksFixture,
};

/** Statements that make what stands in the space before the tests begin. */
const BEFORE: Readonly<Record<VendorName, readonly string[]>> = {
  snowflake: ['CREATE TABLE place (a INTEGER)'],
  bigquery: ['CREATE TABLE place (a INTEGER)'],
  redshift: ['CREATE TABLE place (a INTEGER)'],
  postgresql: ['CREATE TABLE place (a INTEGER)', ...PREPARATION.filter((sql) => !OF_SUPERUSER.test(sql))],
  databricks: ['CREATE VIEW place AS SELECT CAST(1 AS INT) AS a WHERE false'],
};

export function factsOfVendor(vendor: VendorName): Fixture {
  return FACTS[vendor];
}

export function preparationOf(vendor: VendorName): readonly string[] {
  return BEFORE[vendor];
}

/** Counts rows: SEQ4 has gaps where several nodes make it: https://docs.snowflake.com/en/sql-reference/functions/seq1 */
function snowflakeSeries(rows: number): string {
  return `(SELECT ROW_NUMBER() OVER (ORDER BY NULL) - 1 AS n FROM TABLE(GENERATOR(ROWCOUNT => ${rows}))) AS series`;
}

function seriesOf(series: (rows: number) => string, value: string): Pick<Fixture['sql'], 'series' | 'failsAt'> {
  return { series, failsAt: (rows, at) => `SELECT n, ${value.replace('#', String(at))} AS value FROM ${series(rows)}` };
}

/** Leaves out errors of grants: the owner of a database lacks no grant in it, so they are not met. */
function withoutGrants({ errors }: Fixture): Fixture['errors'] {
  return errors.filter(({ code }) => code !== 'WAREHOUSE_PERMISSION');
}
