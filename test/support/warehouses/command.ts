// `npm run warehouses -- up|down|status [names]`: the local servers, for a person and for CI.
import { setTimeout as sleep } from 'node:timers/promises';
import { Argument, Command } from 'commander';
import { createOutput } from '../../../src/cli/output.ts';
import { takeDown } from './down.ts';
import {
  cacheFolder,
  findServer,
  SERVER_NAMES,
  type ServerName,
  type ServerStatus,
  serversFolder,
} from './local-servers.ts';
import { RECIPES } from './recipes.ts';
import { bringUp } from './up.ts';

const HELP = `
Servers that stand in for the warehouses, on this machine and without any account:
${SERVER_NAMES.map((name) => `  ${name.padEnd(11)} ${RECIPES[name].product}`).join('\n')}

  npm run warehouses -- up                 have all, installing what is missing, and leave them running
  npm run warehouses -- up snowflake       have one
  npm run warehouses -- up --foreground    have them until Ctrl-C
  npx vitest run --project warehouses      the tests that need them
  npm run warehouses -- down               end what was started here

Installations are kept in ${cacheFolder()} (PENSTOCK_TEST_CACHE names
another folder); addresses, logs and data are in ${serversFolder()} while a server runs
(PENSTOCK_TEST_SERVERS: another set of servers beside this one).
The first time takes some minutes: bigquery is compiled, with 6 GB of memory. Needed: python3 with venv; go for bigquery;
Java 17 and Maven for databricks.`;

const output = createOutput({ out: process.stdout, err: process.stderr, json: false });
const stopping = new AbortController();

interface Row {
  readonly server: ServerName;
  readonly state: string;
  readonly pid?: number;
  readonly address?: string;
  readonly folder?: string;
}

async function up(names: readonly ServerName[], { foreground = false }: { readonly foreground?: boolean }) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const found = await Promise.all(names.map((name) => upOne(name, foreground)));
  show(found.map(({ row }) => row));
  if (found.some(({ row }) => row.pid === undefined)) process.exitCode = 1;
  if (!foreground) return;
  output.note('Running until Ctrl-C.');
  await untilStopped();
  await down(found.filter(({ isOurs }) => isOurs).map(({ row }) => row.server));
}

interface Found {
  readonly row: Row;
  readonly isOurs: boolean;
}

async function upOne(name: ServerName, isBound: boolean): Promise<Found> {
  const start = performance.now();
  const say = (text: string) => output.note(`${name.padEnd(11)} ${text}`);
  try {
    const options = { progress: { say, signal: stopping.signal }, isBound };
    const { status, isOurs } = await bringUp(RECIPES[name] as never, options);
    say(isOurs ? `up after ${((performance.now() - start) / 1000).toFixed(1)} s` : 'was up already');
    return { row: rowOf(status), isOurs };
  } catch (error) {
    say(`cannot be had: ${(error as Error).message}`);
    return { row: { server: name, state: 'cannot be had' }, isOurs: false };
  }
}

function rowOf({ name, pid, address, folder }: ServerStatus): Row {
  return { server: name, state: 'up', pid, address: addressOf(address), folder };
}

function addressOf(address: ServerStatus['address']): string {
  if ('url' in address) return address.url;
  const { endpoints } = address;
  if ('snowflake' in endpoints) return endpoints.snowflake.accessUrl;
  if ('databricks' in endpoints) return `https://${endpoints.databricks.host}:${endpoints.databricks.port}`;
  if ('aws' in endpoints) return endpoints.aws.endpoint;
  const { apiEndpoint, storageEndpoint } = endpoints.bigquery;
  return `${apiEndpoint}, gRPC ${storageEndpoint.host}:${storageEndpoint.port}`;
}

async function down(names: readonly ServerName[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const was = await takeDown(RECIPES[name]);
      output.note(`${name.padEnd(11)} ${was ? 'ended' : 'was not up'}`);
    }),
  );
}

async function showStatus(names: readonly ServerName[]): Promise<void> {
  const rows = await Promise.all(
    names.map(async (name) => {
      const status = await findServer(name);
      return status === undefined ? { server: name, state: 'down' } : rowOf(status);
    }),
  );
  show(rows);
  if (rows.some(({ state }) => state !== 'up')) process.exitCode = 3;
}

function show(rows: readonly Row[]): void {
  output.rows(['server', 'state', 'pid', 'address', 'folder'], rows);
}

/** A handler of signals keeps no process alive, a timer does. */
async function untilStopped(): Promise<void> {
  while (!stopping.signal.aborted) await sleep(60_000, undefined, { signal: stopping.signal }).catch(() => undefined);
}

const program = new Command('npm run warehouses --').addHelpText('after', HELP);
const servers = () => new Argument('[names...]', 'all where none is named').choices(SERVER_NAMES).default(SERVER_NAMES);
program
  .command('up')
  .description('install and start servers; exit code 1 when one cannot be had')
  .addArgument(servers())
  .option('--foreground', 'stay, and end them with Ctrl-C')
  .action(up);
program
  .command('down')
  .description('end the servers that were started here')
  .addArgument(servers())
  .action((names: readonly ServerName[]) => down(names));
program
  .command('status')
  .description('what runs, and where; exit code 3 when one is down')
  .addArgument(servers())
  .action((names: readonly ServerName[]) => showStatus(names));
await program.parseAsync();
// connections that were kept open for the next query are not waited for
process.exit();
