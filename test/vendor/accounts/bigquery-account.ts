import { type Client, createClient } from '../../../connectors/bigquery/client.ts';
import type { BigQueryConfig } from '../../../connectors/bigquery/config.ts';
import { loadSdk } from '../../../connectors/bigquery/session.ts';
import type { JobReference, WireRow } from '../../../connectors/bigquery/wire.ts';
import { type ConnectorEnvironment, STAGING_SCHEMA } from '../../../src/warehouse/index.ts';
import type { Account } from './account.ts';
import { ensureStaging } from './own-staging.ts';

const NEVER = new AbortController().signal;

interface QueryAnswer {
  readonly jobComplete?: boolean;
  readonly jobReference?: JobReference;
  readonly rows?: readonly WireRow[];
}

export async function openBigqueryAccount(config: BigQueryConfig, environment: ConnectorEnvironment): Promise<Account> {
  const client = await createClient({ sdk: await loadSdk(), config, environment });
  const location = config.region === undefined ? {} : { location: config.region };
  const datasets = async () => {
    const query = { maxResults: 1000, filter: 'labels.penstock_vendor' };
    const { datasets: found = [] } = await client.call<{
      readonly datasets?: readonly { readonly datasetReference: { readonly datasetId: string } }[];
    }>({ method: 'GET', path: '/datasets', query }, NEVER);
    return found.map(({ datasetReference }) => datasetReference.datasetId);
  };
  const create = async (datasetId: string) => {
    const datasetReference = { projectId: config.project_id, datasetId };
    const body = { datasetReference, labels: { penstock_vendor: 'true' }, ...location };
    await client.call({ method: 'POST', path: '/datasets', body }, NEVER);
  };
  const drop = async (datasetId: string) => {
    await client.call({ method: 'DELETE', path: `/datasets/${datasetId}`, query: { deleteContents: true } }, NEVER);
  };
  const staging = {
    has: () => isThere(client, STAGING_SCHEMA),
    create: () => create(STAGING_SCHEMA),
    drop: () => drop(STAGING_SCHEMA),
  };
  return {
    async run(statements) {
      let rows: readonly WireRow[] = [];
      for (const statement of statements) rows = await query(client, statement);
      return rows.map(({ f }) => f.map(({ v }) => (v === null ? null : String(v))));
    },
    spaces: datasets,
    async createSpace(name) {
      await create(name);
      return await ensureStaging(staging);
    },
    async dropSpace(name, withStaging) {
      if (await isThere(client, name)) await drop(name);
      if (withStaging) await staging.drop();
    },
    async staging() {
      const { tables = [] } = await client.call<{
        readonly tables?: readonly { readonly tableReference: { readonly tableId: string } }[];
      }>({ method: 'GET', path: `/datasets/${STAGING_SCHEMA}/tables`, query: { maxResults: 1000 } }, NEVER);
      return tables.map(({ tableReference }) => tableReference.tableId).filter((name) => /^penstock_stg/.test(name));
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function isThere(client: Client, datasetId: string): Promise<boolean> {
  return await client.call({ method: 'GET', path: `/datasets/${datasetId}` }, NEVER).then(
    () => true,
    (failure: unknown) => {
      if (Reflect.get(Object(failure), 'code') === 404) return false;
      throw failure;
    },
  );
}

/** Runs a statement to its end; BigQuery answers after ten seconds at the latest, whether the job is done or not. */
async function query(client: Client, text: string): Promise<readonly WireRow[]> {
  const { config } = client;
  const defaultDataset = { projectId: config.project_id, datasetId: config.dataset_id };
  const location = config.region === undefined ? {} : { location: config.region };
  // the one type of the sentences that BigQuery has no name for
  const body = { query: text.replace(/VARCHAR\(\d+\)/, 'STRING'), useLegacySql: false, defaultDataset, ...location };
  let answer = await client.call<QueryAnswer>({ method: 'POST', path: '/queries', body }, NEVER);
  while (answer.jobComplete === false) {
    const { jobId = '', location: at } = answer.jobReference ?? {};
    answer = await client.call<QueryAnswer>(
      { method: 'GET', path: `/queries/${jobId}`, query: { location: at } },
      NEVER,
    );
  }
  return answer.rows ?? [];
}
