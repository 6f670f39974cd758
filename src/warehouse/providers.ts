// The providers of this build. This file and the composition root are the only ones that reach into connectors/; it takes facts
// alone, which load nothing.
import { PROVIDER_FACTS as FACTS } from '../../connectors/facts.ts';
import type { ProviderFacts } from './provider-facts.ts';

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
