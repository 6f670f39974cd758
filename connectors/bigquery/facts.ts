import type { ProviderFacts } from '../../src/warehouse/index.ts';

/** Facts about Beta: Google BigQuery. */
export const facts: ProviderFacts = {
  product: 'BigQuery',
  productNames: ['BigQuery'],
  config: {
    required: ['project_id', 'dataset_id', 'service_account_id', 'service_account_key'],
    optional: ['region'],
  },
  secretFields: ['service_account_key', 'workload_identity', 'proxy_password'],
  addressFields: ['proxy'],
  placeFields: ['project_id', 'dataset_id'],
  setUpHelp: [
    '--database --schema --table --user [--region]',
    'BigQuery: the project, the dataset, the table, the service account, the location of the dataset.',
  ],
  versionOne: {
    type: 'beta',
    fields: {
      region: 'region',
      project_id: 'project_id',
      dataset_id: 'dataset_id',
      service_account_id: 'service_account_id',
      service_account_key: 'service_account_key',
    },
    defaults: {},
    otherSignIns: ['workload_identity', 'application_default_credentials'],
    timestampTypes: ['datetime', 'date', 'timestamp', 'timestamp_unixtime_ms', 'timestamp_unixtime_s'],
  },
};
