import type { ProviderFacts } from '../../src/warehouse/index.ts';

/** Facts about DuckDB, our own additional provider (D-002). */
export const facts: ProviderFacts = {
  product: 'DuckDB',
  productNames: [],
  config: { required: ['database'], optional: ['read_only'] },
  secretFields: [],
  addressFields: [],
  placeFields: ['database'],
  isEmbedded: true,
  setUpHelp: ['[--schema] --table'],
};
