// The facts of all providers, by the word that the API has for each (D-001, D-002). Whoever needs the list of providers, or what
// one of them is called, asks here. Nothing here loads a connector.
import type { ProviderFacts } from '../src/warehouse/index.ts';
import { facts as bigquery } from './bigquery/facts.ts';
import { facts as databricks } from './databricks/facts.ts';
import { facts as duckdb } from './duckdb/facts.ts';
import { facts as redshift } from './redshift/facts.ts';
import { facts as snowflake } from './snowflake/facts.ts';

const FACTS = {
  Alpha: snowflake,
  Beta: bigquery,
  Gamma: redshift,
  Delta: databricks,
  DuckDB: duckdb,
} as const satisfies Readonly<Record<string, ProviderFacts>>;

/** The word of the API for a warehouse product (D-001). */
export type Provider = keyof typeof FACTS;

export const PROVIDER_FACTS: Readonly<Record<Provider, ProviderFacts>> = FACTS;

export const PROVIDERS: readonly Provider[] = Object.keys(FACTS).filter(isProvider);

function isProvider(word: string): word is Provider {
  return Object.hasOwn(FACTS, word);
}

const WORDS: ReadonlyMap<string, Provider> = new Map(
  PROVIDERS.flatMap((provider) => {
    const { productNames, aliases = [] } = PROVIDER_FACTS[provider];
    return [provider, ...productNames, ...aliases].map((word) => [word.toLowerCase(), provider] as const);
  }),
);

/** Returns the provider that a word means, in any case; undefined for a word nobody knows. */
export function providerOf(word: string): Provider | undefined {
  return WORDS.get(word.trim().toLowerCase());
}
