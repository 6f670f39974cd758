import { AppError } from '../../src/kernel/index.ts';
import { defineConnector } from '../../src/warehouse/index.ts';
import { configSchema } from './config.ts';
import { dialect } from './dialect.ts';
import { classify } from './errors.ts';
import { facts } from './facts.ts';
import { openSession } from './session.ts';

const TURNED_OFF =
  'DuckDB is disabled in this installation. Use another warehouse, or ask the operator to set PENSTOCK_DUCKDB to on and ' +
  'then PUT the connection, which clears its fault.';

/**
 * The embedded warehouse of the quick start (D-002): a file in the workspace's folder, with the CSV and Parquet files in it.
 */
export const duckdb = defineConnector({
  provider: 'DuckDB',
  ...facts,
  configSchema,
  dialect,
  capabilities: {
    // one statement sees one snapshot, but two statements of a run may see two
    snapshot: false,
    writeBack: true,
  },
  open: async (config, environment) => {
    if (!environment.allowsEmbedded) throw new AppError('CONNECTOR_MISSING', TURNED_OFF);
    return openSession(config, environment);
  },
  classify,
});
