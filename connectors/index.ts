// Every provider is decided here: the record does not compile while one is missing. Nothing is registered by being imported.

import type { Connector, Fleet, Provider } from '../src/warehouse/index.ts';
import { bigquery } from './bigquery/index.ts';
import { duckdb } from './duckdb/index.ts';
import { redshift } from './redshift/index.ts';
import { snowflake } from './snowflake/index.ts';

const NOT_IN_THIS_BUILD = 'not in this build';

const CONNECTORS: Readonly<Record<Provider, Connector | typeof NOT_IN_THIS_BUILD>> = {
  Alpha: snowflake,
  Beta: bigquery,
  Gamma: redshift,
  Delta: NOT_IN_THIS_BUILD,
  DuckDB: duckdb,
};

/** The connectors of this build, by provider. */
export const FLEET: Fleet = Object.fromEntries(
  Object.entries(CONNECTORS).filter(([, connector]) => connector !== NOT_IN_THIS_BUILD),
);
