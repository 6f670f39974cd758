// The facts of a provider agree with its connector: with the schema of its configuration and with the inputs of its set-up.
import { describe, expect, it } from 'vitest';
import { PROVIDER_FACTS, PROVIDERS, type Provider, providerOf } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';
import { SET_UPS } from '../../../connectors/set-ups.ts';

/** Returns the names of the fields that the connector's schema knows and that it requires. */
function schemaOf(provider: Provider) {
  const schema = FLEET[provider]?.configSchema as {
    readonly properties?: object;
    readonly required?: readonly string[];
  };
  return { properties: Object.keys(schema.properties ?? {}), required: schema.required ?? [] };
}

describe.each(PROVIDERS)('the facts of %s', (provider) => {
  const { config, secretFields, addressFields, placeFields = [], setUpHelp, ...facts } = PROVIDER_FACTS[provider];
  const { properties, required } = schemaOf(provider);

  it('name fields that the schema knows', () => {
    const named = [...config.required, ...config.optional, ...secretFields, ...addressFields, ...placeFields];
    const more = [...(config.mayBeEmpty ?? []), ...Object.keys(facts.configDefaults ?? {})];
    expect([...named, ...more].filter((field) => !properties.includes(field))).toEqual([]);
  });

  it('require what the schema requires', () => {
    expect(required.filter((field) => !config.required.includes(field))).toEqual([]);
    expect(config.required.filter((field) => config.optional.includes(field))).toEqual([]);
  });

  it('place no table by a secret', () => {
    expect(placeFields.filter((field) => secretFields.includes(field))).toEqual([]);
  });

  it('are those of its connector', () => {
    const { product, configDefaults } = facts;
    expect(FLEET[provider]).toMatchObject({ provider, product, secretFields, placeFields });
    expect(FLEET[provider]?.configDefaults).toEqual(configDefaults);
  });

  it('help with each option of the set-up and no other', () => {
    const options = [...setUpHelp.join(' ').matchAll(/--[a-z-]+/g)].map(([option]) => option);
    const wanted = Object.keys(SET_UPS[provider].inputs).map(
      (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    );
    expect(options).toEqual(wanted);
  });
});

describe('a provider', () => {
  it('is found by its word and by every name of its products, and no word means two', () => {
    const words = PROVIDERS.flatMap((provider) => {
      const { productNames, aliases = [] } = PROVIDER_FACTS[provider];
      return [provider, ...productNames, ...aliases].map((word) => ({ provider, word }));
    });
    expect(new Set(words.map(({ word }) => word.toLowerCase())).size).toBe(words.length);
    for (const { provider, word } of words) expect(providerOf(` ${word.toUpperCase()} `)).toBe(provider);
    expect(providerOf('nobody')).toBeUndefined();
  });
});
