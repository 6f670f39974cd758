// Stages of a connection test; a failed stage reports what is missing.
import { AppError, field, joined, say, template } from '../../src/kernel/index.ts';
import type { NetworkRules, ProbeStage } from '../../src/warehouse/index.ts';
import { encrypt } from '../_shared/agents.ts';
import { reach } from '../_shared/reach.ts';
import type { Target } from '../_shared/resolve-host.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { type Client, type ClientDeps, within } from './client.ts';
import { readDataset } from './dataset.ts';
import { quoteIdentifier } from './dialect.ts';
import { classify } from './errors.ts';
import { requireOpenHosts } from './hosts.ts';
import { dryRun } from './jobs/jobs.ts';
import { identityOf } from './sign-in.ts';
import { ONE_SQL, readableSql } from './statements.ts';
import type { TableReference } from './wire.ts';

const PATIENCE_MS = 8000;

/** Probes the connection stage by stage. `client` returns the session's own. */
export async function probe(
  deps: ClientDeps,
  client: () => Promise<Client>,
  signal: AbortSignal,
): Promise<readonly ProbeStage[]> {
  const { config, environment } = deps;
  const { network } = environment;
  const endpoint = environment.endpoints.bigquery?.apiEndpoint;
  let target: Target = { host: '', port: 0 };
  let location: string | undefined;
  return await takeStages(
    [
      {
        name: 'reach',
        passed: 'BigQuery accepts connections.',
        take: async () => {
          target = await requireOpenHosts(deps);
          await dial(target, { network, isTls: false, signal });
        },
      },
      {
        name: 'tls',
        passed: 'The connection is encrypted.',
        take: async () => {
          if (endpoint?.startsWith('http:'))
            return 'The connection is not encrypted: the operator’s server has no TLS.';
          await dial(target, { network, isTls: true, signal });
          return undefined;
        },
      },
      {
        name: 'sign_in',
        passed: '',
        take: async () => {
          const { tokens } = await client();
          await within(tokens.getAccessToken(), { signal, limitMs: PATIENCE_MS });
          return `${identityOf(config)} is signed in.`;
        },
      },
      {
        name: 'use_objects',
        passed: '',
        take: async () => {
          location = await requireDataset(await client(), signal);
          return `The dataset ${config.dataset_id} is in ${location ?? config.region ?? 'an unknown location'}.`;
        },
      },
      {
        name: 'read',
        passed: '',
        take: async () => await requireReading(await client(), config.region ?? location, signal),
      },
    ],
    { classify, signal },
  );
}

/** Opens a connection and closes it again. */
async function dial(target: Target, { network, isTls, signal }: Dialling): Promise<void> {
  const socket = await reach(target, network, { limitMs: PATIENCE_MS, signal });
  const opened = isTls ? await encrypt(socket, target.host) : socket;
  opened.destroy();
}

interface Dialling {
  readonly network: NetworkRules;
  readonly isTls: boolean;
  readonly signal: AbortSignal;
}

async function requireDataset(client: Client, signal: AbortSignal): Promise<string | undefined> {
  const { region, dataset_id: dataset } = client.config;
  const { location } = await readDataset(client, signal).catch((failure: unknown) => {
    const error = classify(failure);
    if (error.code !== 'WAREHOUSE_OBJECT_MISSING') throw failure;
    const advice = template('Check {config.project_id} and {config.dataset_id}.');
    throw new AppError(error.code, joined([error, advice]), { cause: failure });
  });
  if (region === undefined || location === undefined || region.toLowerCase() === location.toLowerCase())
    return location;
  throw new AppError(
    'WAREHOUSE_CONFIG',
    say`The dataset ${dataset} is in ${location}, but ${field('config.region')} is ${region}; jobs there cannot read it.`,
  );
}

interface WireTables {
  readonly tables?: readonly { readonly tableReference: TableReference; readonly type?: string }[];
  readonly nextPageToken?: string;
}

/** Number of tables that are tried until one can be read: each may have its own grants. */
const MOST_TABLES = 10;

/** Checks reading by a dry run of a job, and by one over a table of the dataset where there is one. */
async function requireReading(client: Client, location: string | undefined, signal: AbortSignal): Promise<string> {
  const { dataset_id: dataset } = client.config;
  await dryRun(client, { statement: { sql: ONE_SQL, parameters: {} }, location }, signal);
  const call = { method: 'GET', path: `/datasets/${dataset}/tables`, query: { maxResults: MOST_TABLES } } as const;
  const { tables = [], nextPageToken } = await client.call<WireTables>(call, signal);
  let refusal: unknown;
  for (const { tableReference } of tables.slice(0, MOST_TABLES)) {
    refusal = await refusalOf(client, { table: tableReference, location }, signal);
    if (refusal === undefined) return 'Queries can run, and tables of the dataset can be read.';
  }
  if (refusal === undefined) return 'Queries can run; the dataset has no table yet.';
  if (nextPageToken === undefined && tables.length <= MOST_TABLES) throw refusal;
  return `Queries can run; the first ${MOST_TABLES} tables of the dataset cannot be read, and others were not tried.`;
}

interface TableToRead {
  readonly table: TableReference;
  readonly location: string | undefined;
}

/**
 * Returns the refusal to read a table, if any.
 * A table that requires a filter, or a broken view, tells nothing about permissions.
 */
async function refusalOf(client: Client, { table, location }: TableToRead, signal: AbortSignal): Promise<unknown> {
  const name = quoteIdentifier(`${table.projectId}.${table.datasetId}.${table.tableId}`);
  try {
    await dryRun(client, { statement: { sql: readableSql(name), parameters: {} }, location }, signal);
  } catch (failure) {
    signal.throwIfAborted();
    if (classify(failure).code === 'WAREHOUSE_PERMISSION') return failure;
  }
  return undefined;
}
