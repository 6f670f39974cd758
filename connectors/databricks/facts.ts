import type { ProviderFacts } from '../../src/warehouse/index.ts';

/** Facts about Delta: Databricks. */
export const facts: ProviderFacts = {
  product: 'Databricks',
  productNames: ['Databricks'],
  config: {
    required: ['provider', 'schema'],
    // The specification does not say where Delta is and how to sign in: what is optional here is needed to connect (D-079).
    optional: ['host', 'http_path', 'token', 'client_id', 'client_secret', 'azure_tenant_id', 'catalog'],
  },
  secretFields: ['token', 'client_secret', 'proxy_password'],
  addressFields: ['host', 'http_path', 'azure_tenant_id', 'proxy'],
  placeFields: ['host', 'catalog', 'schema'],
  setUpHelp: [
    '--database --schema --table --user',
    'Databricks: the catalog, the schema, the table, the application id of the service principal.',
  ],
};
