// Vendors whose accounts `npm run vendor` can try, and how each is described by variables.
import { bigquery } from '../../connectors/bigquery/index.ts';
import { databricks } from '../../connectors/databricks/index.ts';
import { redshift } from '../../connectors/redshift/index.ts';
import { snowflake } from '../../connectors/snowflake/index.ts';
import type { Connector } from '../../src/warehouse/index.ts';

export const VENDOR_NAMES = ['snowflake', 'bigquery', 'redshift', 'postgresql', 'databricks'] as const;
export type VendorName = (typeof VENDOR_NAMES)[number];

export interface Vendor {
  /** Name of the product in the table. */
  readonly product: string;
  readonly connector: Connector;
  /** Word for what the run creates for its tables and drops. */
  readonly space: 'schema' | 'dataset' | 'database';
  /** Field of `config` that names the space. The run sets it, except where it is also the place to start from. */
  readonly spaceField: string;
  /** The field must be given, too: the database from which the run creates its own. */
  readonly startsFromSpace?: true;
  /** Fields that the connector requires and that do not matter here. */
  readonly presets: Readonly<Record<string, string>>;
}

export const VENDORS: Readonly<Record<VendorName, Vendor>> = {
  snowflake: {
    ...{ product: 'Snowflake', connector: snowflake, space: 'schema', spaceField: 'schema' },
    presets: { storage_integration: '' },
  },
  bigquery: { product: 'BigQuery', connector: bigquery, space: 'dataset', spaceField: 'dataset_id', presets: {} },
  redshift: {
    ...{ product: 'Redshift', connector: redshift, space: 'database', spaceField: 'database', startsFromSpace: true },
    presets: { port: '5439' },
  },
  postgresql: {
    ...{ product: 'PostgreSQL', connector: redshift, space: 'database', spaceField: 'database', startsFromSpace: true },
    presets: { port: '5432' },
  },
  databricks: {
    ...{ product: 'Databricks', connector: databricks, space: 'schema', spaceField: 'schema' },
    presets: { provider: 'vendor' },
  },
};
