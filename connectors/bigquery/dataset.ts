import type { Client } from './client.ts';
import { classify } from './errors.ts';

interface WireDataset {
  readonly location?: string;
}

/** Reads the configured dataset. */
export function readDataset(client: Client, signal: AbortSignal): Promise<WireDataset> {
  return client.call<WireDataset>({ method: 'GET', path: `/datasets/${client.config.dataset_id}` }, signal);
}

/**
 * Returns the location of jobs: the configured one, else the dataset's.
 * An account that may not read the dataset may still query its tables. Its jobs run in the operator's default location; without
 * one, BigQuery derives the location from each statement.
 */
export async function readLocation(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const { region } = client.config;
  if (region !== undefined) return region;
  try {
    return (await readDataset(client, signal)).location;
  } catch (failure) {
    if (classify(failure).code === 'WAREHOUSE_PERMISSION') return client.environment.bigquery.location;
    throw failure;
  }
}
