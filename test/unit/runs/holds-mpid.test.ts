import { describe, expect, it } from 'vitest';
import { addressRows } from '../../../src/runs/write-back/address-rows.ts';
import type { Column } from '../../../src/warehouse/index.ts';

function addressed(type: Column['type'], nativeType: string) {
  return addressRows(
    {
      ...{ sql: 'SELECT email, mpid FROM people', table: ['people'] },
      identities: [{ column: 'email', position: 0, type: 'email' }],
      mpid: { column: 'mpid', position: 1 },
    },
    [
      { name: 'email', type: 'text', nativeType: 'text' },
      { name: 'mpid', type, nativeType },
    ],
    undefined,
  );
}

describe('the column of the MPID', () => {
  it.each([
    ['Snowflake', 'integer', 'NUMBER(10,0)'],
    ['Snowflake', 'decimal', 'NUMBER(20,4)'],
    ['Redshift', 'integer', 'integer'],
    ['Redshift', 'integer', 'smallint'],
    ['PostgreSQL', 'integer', 'oid'],
    ['PostgreSQL', 'decimal', 'numeric(18,0)'],
    ['BigQuery', 'decimal', 'NUMERIC(18)'],
    ['DuckDB', 'integer', 'INTEGER'],
    ['DuckDB', 'integer', 'UTINYINT'],
    ['DuckDB', 'decimal', 'DECIMAL(18,3)'],
    ['Databricks', 'integer', 'int'],
    ['Databricks', 'decimal', 'decimal(10,0)'],
    ['PostgreSQL', 'double', 'double precision'],
  ] as const)('of %s cannot be of a type that holds less than 64 bits (%s %s)', (_, type, nativeType) => {
    expect(() => addressed(type, nativeType)).toThrow(`of type ${nativeType}; an MPID needs a numeric column`);
  });

  it.each([
    ['Snowflake', 'integer', 'NUMBER(38,0)'],
    ['Redshift', 'integer', 'bigint'],
    ['PostgreSQL', 'decimal', 'numeric'],
    ['PostgreSQL', 'decimal', 'numeric(19,0)'],
    ['BigQuery', 'integer', 'INT64'],
    ['BigQuery', 'decimal', 'NUMERIC'],
    ['BigQuery', 'decimal', 'BIGNUMERIC(30, 2)'],
    ['DuckDB', 'integer', 'BIGINT'],
    ['DuckDB', 'integer', 'HUGEINT'],
    ['Databricks', 'decimal', 'decimal(38,0)'],
  ] as const)('of %s can be any other number (%s %s)', (_, type, nativeType) => {
    expect(addressed(type, nativeType).mpidAt).toBe(1);
  });
});
