// Staging tables, created, listed and dropped by calls of the API, which are no jobs and cost nothing.
import { AppError, systemClock } from '../../src/kernel/index.ts';
import { STAGING_SCHEMA, type WriteBackTarget } from '../../src/warehouse/index.ts';
import type { Client } from './client.ts';
import { classify } from './errors.ts';
import type { TableReference } from './wire.ts';
import { columnsOf, typesOf } from './write-back-sql.ts';

const PATH = `/datasets/${STAGING_SCHEMA}/tables`;
/**
 * Lifetime of a staging table: one that a killed daemon left behind expires by itself unless it is dropped before. Longer than
 * any run, which holds its table from the first portion to the end.
 */
const LIFE_MS = 48 * 3_600_000;

export interface StagingTable {
  readonly name: string;
  readonly target: Pick<WriteBackTarget, 'key'>;
}

export async function createStaging(
  client: Client,
  { name, target }: StagingTable,
  signal: AbortSignal,
): Promise<void> {
  const types = typesOf(target);
  const body = {
    tableReference: { projectId: client.config.project_id, datasetId: STAGING_SCHEMA, tableId: name },
    schema: {
      fields: columnsOf(target).map((column, index) => ({ name: column, type: types[index], mode: 'NULLABLE' })),
    },
    expirationTime: String(systemClock.nowMs() + LIFE_MS),
    labels: { penstock: 'true' },
  };
  await client.call({ method: 'POST', path: PATH, body }, signal).catch((failure: unknown) => {
    const { code, message } = classify(failure);
    if (code !== 'WAREHOUSE_OBJECT_MISSING') throw failure;
    const advice = `Create the dataset ${STAGING_SCHEMA} in the location of the table, as \`penstock warehouse setup-sql\` shows.`;
    throw new AppError(code, `${message} ${advice}`, { cause: failure });
  });
}

interface WireTables {
  readonly tables?: readonly { readonly tableReference: TableReference }[];
  readonly nextPageToken?: string;
}

/** Returns the names of tables that begin with the prefix; none where the dataset does not exist. */
export async function listTables(client: Client, prefix: string, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  do {
    const query = { maxResults: 1000, pageToken };
    const page: WireTables = await client
      .call<WireTables>({ method: 'GET', path: PATH, query }, signal)
      .catch(orNothing({}));
    names.push(...(page.tables ?? []).map(({ tableReference }) => tableReference.tableId));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && pageToken !== '');
  return names.filter((name) => name.startsWith(prefix));
}

export async function dropTables(client: Client, names: readonly string[], signal: AbortSignal): Promise<void> {
  for (const name of names) {
    const call = { method: 'DELETE', path: `${PATH}/${name}` } as const;
    await client.call<unknown>(call, signal).catch(orNothing(undefined));
  }
}

function orNothing<Nothing>(nothing: Nothing): (failure: unknown) => Nothing {
  return (failure) => {
    if (classify(failure).code === 'WAREHOUSE_OBJECT_MISSING') return nothing;
    throw failure;
  };
}
