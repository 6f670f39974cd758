// A daemon with one resource of each kind, for a prober: whatever it calls for a warehouse, a receiver of callbacks or a
// partner finds a closed port.

import { bareEnvironment, type Daemon, startDaemon } from '../crashes/penstock-process.ts';
import { commandLine } from '../runner/command-line.ts';
import { type Place, type Seeds, seedResources } from './seed-resources.ts';

export interface ProbedDaemon extends AsyncDisposable, Seeds, Pick<Place, 'token' | 'input'> {
  readonly daemon: Daemon;
}

/** Vendors' servers, all of them where nobody listens; and bounds that a prober's pace does not reach. */
const NOWHERE = {
  PENSTOCK_WAREHOUSE_HOSTS: '127.0.0.1,localhost',
  PENSTOCK_OUTGOING_ALLOWED_HOSTS: 'localhost',
  PENSTOCK_SNOWFLAKE_ENDPOINT: 'http://127.0.0.1:1',
  PENSTOCK_BIGQUERY_ENDPOINT: 'http://127.0.0.1:1',
  PENSTOCK_BIGQUERY_STORAGE_ENDPOINT: '127.0.0.1:1',
  PENSTOCK_DATABRICKS_ENDPOINT: '127.0.0.1:1',
  PENSTOCK_KEY_ONLY_PER_SECOND: '10000',
  PENSTOCK_LOG_LEVEL: 'error',
};

export async function startProbedDaemon(home: string): Promise<ProbedDaemon> {
  const options = { home, environment: NOWHERE };
  const command = commandLine(bareEnvironment(options));
  const made = await command.json('init');
  const daemon = await startDaemon(options);
  const workspace = String(made.workspace_id);
  const aside = await command.json('workspace', 'create', 'aside');
  const uses = ['--workspace', workspace, '--uses', 'server,dsr,web'];
  const input = await command.json<Place['input']>('credentials', 'create', 'input', 'probe', ...uses);
  const client = { client_id: String(made.client_id), client_secret: String(made.client_secret) };
  const grant = { ...client, audience: daemon.url, grant_type: 'client_credentials' };
  const place: Place = {
    ...{ url: daemon.url, token: await tokenOf(daemon.url, grant), client: grant, workspace, input },
    ...{ aside: String(aside.workspace_id), account: String(made.account_id) },
    runGroups: async () => void (await command.json('groups', 'run', '--workspace', workspace)),
  };
  const seeds = await seedResources(place);
  return { ...place, ...seeds, daemon, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() };
}

async function tokenOf(url: string, grant: Place['client']): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/oauth/token`, { method: 'POST', headers, body: JSON.stringify(grant) });
  const { access_token } = (await answer.json()) as { readonly access_token: string };
  return access_token;
}
