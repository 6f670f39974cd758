import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { addNewerPurchases, createPurchaseWarehouse } from '../../../demo/warehouse.ts';
import { initialise } from '../../access/index.ts';
import type { App } from '../../app.ts';
import type { Profile } from '../../identity/index.ts';
import { AppError, type Json, systemClock, type WorkspaceId } from '../../kernel/index.ts';
import { type ApiClient, signIn } from '../api-client.ts';
import type { Output } from '../output.ts';
import { CONNECTION, DATA_MODEL, PIPELINE, SOMEBODY } from './definition.ts';

export interface Guide {
  readonly app: App;
  readonly home: string;
  readonly output: Output;
  /** Aborts when the user ends the tour. */
  readonly ended: AbortSignal;
}

const count = (rows: number): string => rows.toLocaleString('en-US');

/** Shows the tour. Every step of a customer goes through the API, as it would in production. */
export async function tour(guide: Guide): Promise<void> {
  const { app, home, output } = guide;
  output.line(`   API on ${app.url}, its reference under /docs while this runs.`);
  const { workspaceId, api } = await signInSomebody(guide);

  const file = await warehouseFile(home, workspaceId);
  output.line('\n2. A warehouse: purchases of an online shop, in a DuckDB file.');
  output.line(`   ${count(await createPurchaseWarehouse(file))} purchases of 17 months.`);

  output.line('\n3. Connection, data model and pipeline are defined over the API. The model:\n');
  await api.post('/connections', CONNECTION);
  await api.post('/data-models', DATA_MODEL);
  await api.post('/inputs/data-pipelines', PIPELINE);
  output.line(DATA_MODEL.config.sql_query.replace(/^/gm, '     '));

  output.line('\n4. The first run reads everybody: each person becomes one profile.');
  const first = await runPipeline(api, guide);
  const before = await readPerson(app, workspaceId);

  output.line(`\n5. The next month comes in: ${count(await addNewerPurchases(file))} newer purchases.`);
  output.line('   The second run reads who bought again, and nobody else.');
  const second = await runPipeline(api, guide);
  output.line(`   ${count(second)} people moved, ${count(first - second)} were not touched.`);

  output.line(`\n6. One profile, before and after: customer ${SOMEBODY}.\n`);
  showPerson(before, await readPerson(app, workspaceId), output);
}

async function signInSomebody({ app, ended }: Guide): Promise<{ workspaceId: WorkspaceId; api: ApiClient }> {
  const names = { organisation: 'Demo', account: 'Demo', workspace: 'Shop', actor: 'cli:demo' } as const;
  const { workspaceId, credential } = await initialise(app, names);
  if (credential === undefined) throw new AppError('INTERNAL', 'The new home already has a credential.');
  const { clientId, clientSecret } = credential;
  const secrets = { clientId, clientSecret: clientSecret.reveal() };
  return { workspaceId, api: await signIn(app.url, String(workspaceId), { ...secrets, signal: ended }) };
}

async function warehouseFile(home: string, workspaceId: WorkspaceId): Promise<string> {
  const folder = join(home, 'warehouses', String(workspaceId));
  await mkdir(folder, { recursive: true });
  return join(folder, CONNECTION.config.database);
}

const POLL_MS = 100;
const REPORTED = ['status', 'extracted_records', 'successful_records', 'failed_records', 'range_start', 'range_end'];

type RunAnswer = Record<string, Json>;

/** Triggers the pipeline, shows progress and report of the run, and returns how many rows the run read. */
async function runPipeline(api: ApiClient, { output, ended }: Pick<Guide, 'output' | 'ended'>): Promise<number> {
  const { pipeline_run_id: id } = await api.post('/inputs/data-pipelines/trigger', { pipeline_id: PIPELINE.id });
  const path = `/inputs/data-pipelines/${PIPELINE.id}/runs/${String(id)}`;
  let run: RunAnswer = await api.get(path);
  while (!isOver(run)) {
    output.progress(`   ${run.status}: ${run.extracted_records} rows read`);
    await systemClock.sleep(POLL_MS, ended);
    run = await api.get(path);
  }
  output.progress('');
  output.line('');
  output.object(Object.fromEntries(REPORTED.map((name) => [`   ${name}`, run[name]])));
  if (run.status !== 'success')
    throw new AppError('INTERNAL', `The run did not succeed: ${JSON.stringify(run.errors)}`);
  return Number(run.extracted_records);
}

const isOver = ({ status }: RunAnswer): boolean => status === 'success' || status === 'failed' || status === 'stopped';

/** Returns the one profile that the demo shows. */
async function readPerson({ store, identities }: App, workspaceId: WorkspaceId): Promise<Profile> {
  const scope = { workspaceId, environment: 'production' } as const;
  const [profile] = await identities.findProfiles(store, scope, { type: 'customer_id', value: SOMEBODY });
  if (profile === undefined) throw new AppError('INTERNAL', `Customer ${SOMEBODY} has no profile.`);
  return profile;
}

/** Shows the profile's MPID and each attribute before and after. */
function showPerson(before: Profile, after: Profile, output: Output): void {
  const was = new Map(before.attributes.map(({ name, value }) => [name, value]));
  const rows = [
    { '   attribute': '   mpid', before: before.mpid, after: after.mpid },
    ...after.attributes.map(({ name, value }) => ({
      '   attribute': `   ${name}`,
      before: was.get(name),
      after: value,
    })),
  ];
  output.rows(['   attribute', 'before', 'after'], rows);
}
