import { PROVIDER_FACTS, PROVIDERS, type Provider } from '../../../connectors/facts.ts';
import type { Fleet } from '../../warehouse/index.ts';

export function unknownProvider(word: string): string {
  return `"${word}" is not a provider; use one of ${PROVIDERS.join(', ')}.`;
}

/** Returns the fault of a connection whose connector this build lacks; it can be saved all the same (D-076). */
export function connectorMissing(provider: Provider): string {
  return `This build of Penstock has no connector for ${provider}. Use another provider, or install a build with this connector.`;
}

/** Returns the names of the configuration's secret fields. */
export function secretFieldsOf(fleet: Fleet, provider: Provider): readonly string[] {
  return (fleet[provider] ?? PROVIDER_FACTS[provider]).secretFields;
}
