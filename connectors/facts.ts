// The facts of all providers, by the word that the API has for each (D-001, D-002). Whoever needs the list of providers takes the
// keys. Nothing here loads a connector.
import type { ProviderFacts } from '../src/warehouse/index.ts';
import { facts as bigquery } from './bigquery/facts.ts';
import { facts as databricks } from './databricks/facts.ts';
import { facts as duckdb } from './duckdb/facts.ts';
import { facts as redshift } from './redshift/facts.ts';
import { facts as snowflake } from './snowflake/facts.ts';

export const PROVIDER_FACTS = {
  Alpha: snowflake,
  Beta: bigquery,
  Gamma: redshift,
  Delta: databricks,
  DuckDB: duckdb,
} as const satisfies Readonly<Record<string, ProviderFacts>>;
