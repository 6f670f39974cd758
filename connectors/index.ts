// All providers. The record does not compile while one is missing, and no import registers anything.

import type { Connector, Fleet } from '../src/warehouse/index.ts';
import { bigquery } from './bigquery/index.ts';
import { databricks } from './databricks/index.ts';
import { duckdb } from './duckdb/index.ts';
import type { Provider } from './facts.ts';
import { redshift } from './redshift/index.ts';
import { snowflake } from './snowflake/index.ts';

const CONNECTORS: Readonly<Record<Provider, Connector>> = {
  Alpha: snowflake,
  Beta: bigquery,
  Gamma: redshift,
  Delta: databricks,
  DuckDB: duckdb,
};

/** The connectors of this build, by provider. */
export const FLEET: Fleet = CONNECTORS;
