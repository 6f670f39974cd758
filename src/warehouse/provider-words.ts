// The words by which the API names a warehouse: a neutral one for each provider, and the names of its products.
import { PROVIDERS, type Provider } from './connector.ts';

/** Names of products, of which a provider may have several. */
export const PRODUCTS: Readonly<Record<Provider, readonly string[]>> = {
  Alpha: ['Snowflake'],
  Beta: ['BigQuery'],
  Gamma: ['PostgreSQL', 'Redshift'],
  Delta: ['Databricks'],
  DuckDB: [],
};

const WORDS: ReadonlyMap<string, Provider> = new Map<string, Provider>([
  ...PROVIDERS.flatMap((provider) => wordsOf(provider).map((word) => [word.toLowerCase(), provider] as const)),
  ['postgres', 'Gamma'],
]);

function wordsOf(provider: Provider): readonly string[] {
  return [provider, ...PRODUCTS[provider]];
}

/** Returns the provider that a word means, in any case; undefined for a word nobody knows. */
export function providerOf(word: string): Provider | undefined {
  return WORDS.get(word.trim().toLowerCase());
}
