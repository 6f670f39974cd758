import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addNewerPurchases, createPurchaseWarehouse } from '../../../demo/warehouse.ts';
import { initialise } from '../../access/index.ts';
import { type App, createApp } from '../../app.ts';
import type { Config } from '../../config.ts';
import { createLog, type Json, systemClock } from '../../kernel/index.ts';
import { removeHome } from '../../store/index.ts';
import { type ApiClient, signIn } from '../api-client.ts';
import type { CommandContext } from '../command.ts';
import type { Output } from '../output.ts';
import { CONNECTION, DATA_MODEL, PIPELINE } from './definition.ts';
import { showPerson } from './show-person.ts';

const DRAIN_MS = 10_000;
/** The pipeline's delay: a range ends so long before now, so that the warehouse can settle. */
const SETTLE_MS = 1100;

export async function runDemo(context: CommandContext): Promise<void> {
  const output = context.output();
  const home = await mkdtemp(join(tmpdir(), 'penstock-demo-'));
  // where root runs it, the store's own user must be able to pass through
  await chmod(home, 0o711);
  const config = demoConfig(context.config(), home);
  try {
    output.line('1. Start: one process, its own PostgreSQL, a temporary folder.');
    const app = await createApp(config, { log: createLog('error', process.stderr) });
    try {
      await app.listen();
      await tour(app, home, output);
    } finally {
      await app.drain(DRAIN_MS);
    }
  } finally {
    await removeHome(home);
  }
  output.line('\nThat was all; the temporary folder is gone. Next: penstock init, penstock serve, and the README.');
}

function demoConfig(config: Config, home: string): Config {
  return {
    ...config,
    home,
    http: { ...config.http, port: 0, baseUrl: undefined },
    store: { ...config.store, databaseUrl: undefined, port: 0 },
  };
}

async function tour(app: App, home: string, output: Output): Promise<void> {
  output.line(`   Listening on ${app.url}; the reference of the API is at ${app.url}/docs while this runs.`);
  const names = { organisation: 'Demo', account: 'Demo', workspace: 'Shop', actor: 'cli:demo' };
  const { workspaceId, credential } = await initialise(app, names);
  if (credential === undefined) throw new Error('A new home has a credential already.');
  const api = await signIn(app.url, String(workspaceId), {
    clientId: credential.clientId,
    clientSecret: credential.clientSecret.reveal(),
  });

  const file = await warehouseFile(home, String(workspaceId));
  output.line(`\n2. A warehouse: ${await createPurchaseWarehouse(file)} purchases in a DuckDB file.`);
  output.line('\n3. Connection, data model and pipeline, defined over the API.');
  await api.post('/connections', CONNECTION);
  await api.post('/data-models', DATA_MODEL);
  await api.post('/inputs/data-pipelines', PIPELINE);
  output.line(DATA_MODEL.config.sql_query.replace(/^/gm, '     '));

  output.line('\n4. The first run reads everybody.');
  await run(api, output);
  await showPerson(app, workspaceId, output);

  output.line(
    `\n5. A month later: ${await addNewerPurchases(file)} newer purchases. The second run reads only who bought again.`,
  );
  await run(api, output);
  await showPerson(app, workspaceId, output);
}

async function warehouseFile(home: string, workspace: string): Promise<string> {
  const folder = join(home, 'warehouses', workspace);
  await mkdir(folder, { recursive: true });
  return join(folder, CONNECTION.config.database);
}

/** Triggers the pipeline, shows its progress, and the report of the run. */
async function run(api: ApiClient, output: Output): Promise<void> {
  await systemClock.sleep(SETTLE_MS);
  const { pipeline_run_id: id } = await api.post('/inputs/data-pipelines/trigger', { pipeline_id: PIPELINE.id });
  const path = `/inputs/data-pipelines/${PIPELINE.id}/runs/${String(id)}`;
  for (;;) {
    const now = await api.get(path);
    output.progress(`   ${now.status}: ${now.extracted_records} rows read`);
    if (isOver(now)) break;
    await systemClock.sleep(100);
  }
  output.progress('');
  showReport(await api.get(path), output);
}

const isOver = ({ status }: Record<string, Json>): boolean =>
  status === 'success' || status === 'failed' || status === 'stopped';

function showReport(report: Record<string, Json>, output: Output): void {
  const shown = [
    'status',
    'extracted_records',
    'successful_records',
    'failed_records',
    'range_end',
    'errors',
    'warnings',
  ];
  output.object(Object.fromEntries(shown.map((name) => [`   ${name}`, report[name]])));
}
