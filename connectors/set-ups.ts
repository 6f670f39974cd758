// Scripts that an administrator of each product runs once for write-back, for `penstock warehouse setup-sql`.

import type { SetUp } from '../src/warehouse/index.ts';
import { setUp as bigquery } from './bigquery/set-up.ts';
import { setUp as databricks } from './databricks/set-up.ts';
import { setUp as duckdb } from './duckdb/set-up.ts';
import type { Provider } from './facts.ts';
import { setUp as redshift } from './redshift/set-up.ts';
import { setUp as snowflake } from './snowflake/set-up.ts';

export const SET_UPS: Readonly<Record<Provider, SetUp>> = {
  Alpha: snowflake,
  Beta: bigquery,
  Gamma: redshift,
  Delta: databricks,
  DuckDB: duckdb,
};
