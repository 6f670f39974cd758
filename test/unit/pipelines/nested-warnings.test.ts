// Columns whose rows may fail on an object are named all at once, with the expression of the product that reads them as text.
import { expect, test } from 'vitest';
import { dialect as bigquery } from '../../../connectors/bigquery/dialect.ts';
import { dialect as databricks } from '../../../connectors/databricks/dialect.ts';
import { dialect as duckdb } from '../../../connectors/duckdb/dialect.ts';
import { dialect as redshift } from '../../../connectors/redshift/dialect.ts';
import { dialect as snowflake } from '../../../connectors/snowflake/dialect.ts';
import { nestedWarnings } from '../../../src/pipelines/index.ts';
import type { Column } from '../../../src/warehouse/index.ts';

const column = (name: string, type: Column['type'], nativeType: string): Column => ({ name, type, nativeType });
const list = (name: string, item: Column): Column => ({ ...column(name, 'list', `${item.nativeType}[]`), item });
const PEOPLE = { transformation: null };
const told = (columns: readonly Column[], of = duckdb) =>
  nestedWarnings(columns, PEOPLE, of).map(({ message }) => message);

test('all of them are in one warning, and no others', () => {
  const [message = '', ...others] = told([
    column('email', 'text', 'VARCHAR'),
    list('tags', column('', 'text', 'VARCHAR')),
    column('payload', 'json', 'JSON'),
    column('address', 'struct', `STRUCT(${'line VARCHAR, '.repeat(20)})`),
    column('scores', 'map', 'MAP(VARCHAR, INTEGER)'),
    list('orders', column('', 'struct', 'STRUCT(id INTEGER)')),
  ]);
  expect(others).toEqual([]);
  expect(message).toContain('"payload" (JSON), "address" (STRUCT(line VARCHAR, ');
  expect(message).toContain('…), "scores" (MAP(VARCHAR, INTEGER)), "orders" (STRUCT(id INTEGER)[]).');
  expect(message).toContain('CAST("payload" AS VARCHAR) AS "payload", CAST("address" AS VARCHAR) AS "address", ');
  expect(message).not.toContain('tags');
});

test.each([
  ['BigQuery', bigquery, 'JSON', 'TO_JSON_STRING(`payload`) AS `payload`'],
  ['Databricks', databricks, 'VARIANT', 'to_json(`payload`) AS `payload`'],
  ['DuckDB', duckdb, 'JSON', 'CAST("payload" AS VARCHAR) AS "payload"'],
  ['PostgreSQL', redshift, 'jsonb', '"payload"::varchar AS "payload"'],
  ['Redshift', redshift, 'super', 'JSON_SERIALIZE("payload") AS "payload"'],
  ['Snowflake', snowflake, 'VARIANT', 'TO_JSON("payload") AS "payload"'],
])('%s reads such a column as text by an expression of its own', (...[, dialect, nativeType, expression]) => {
  expect(told([column('payload', 'json', nativeType)], dialect)).toEqual([expect.stringContaining(`: ${expression}.`)]);
});

test('a pipeline of events, whose transformation maps JSON, has no such warning', () => {
  const transformation = { id: 't', mappings: [] };
  expect(nestedWarnings([column('payload', 'json', 'JSON')], { transformation }, duckdb)).toEqual([]);
});
