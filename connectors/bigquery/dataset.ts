import type { Client } from './client.ts';
import { classify } from './errors.ts';

interface WireDataset {
  readonly location?: string;
}

/** The dataset of the configuration. */
export function readDataset(client: Client, signal: AbortSignal): Promise<WireDataset> {
  return client.call<WireDataset>({ method: 'GET', path: `/datasets/${client.config.dataset_id}` }, signal);
}

/**
 * Where jobs run: as configured, else where the dataset is. An account that may not look at the dataset may still query
 * tables: then BigQuery finds the place in each statement.
 */
export async function readLocation(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const { region } = client.config;
  if (region !== undefined) return region;
  try {
    return (await readDataset(client, signal)).location;
  } catch (failure) {
    if (classify(failure).code === 'WAREHOUSE_PERMISSION') return undefined;
    throw failure;
  }
}
