// `npm run vendor -- snowflake`: the twelve sentences of the connector contract against a customer's account.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Argument, Command } from 'commander';
import { createOutput } from '../../src/cli/output.ts';
import { messageOf } from '../../src/kernel/index.ts';
import { assertionsIn, ROOT, sentenceFiles } from '../conformance/reports.ts';
import { tabulate } from '../conformance/table.ts';
import type { Account } from './accounts/account.ts';
import { openAccount, vendorEnvironment } from './accounts/open-account.ts';
import { preparationOf } from './facts/facts-of-vendor.ts';
import { inOwnSpace, leftSpaces, nameSpace } from './own-space.ts';
import { readVariables, variablesOf } from './read-variables.ts';
import { redactor } from './redact.ts';
import { SPACE, VENDOR } from './vendor-fixture.ts';
import { VENDOR_NAMES, VENDORS, type VendorName } from './vendors.ts';

const stopping = new AbortController();
let redact = redactor([]);
const output = createOutput({ out: process.stdout, err: process.stderr, json: false });
const note = (text: string) => output.note(redact(text));

interface Options {
  readonly removeLeftovers?: true;
}

async function main(vendor: VendorName, { removeLeftovers }: Options): Promise<void> {
  const read = readVariables(vendor, process.env);
  if ('skipped' in read) return note(`Skipped ${VENDORS[vendor].product}: ${read.skipped}.`);
  if ('complaints' in read) {
    for (const complaint of read.complaints) note(complaint);
    process.exitCode = 1;
    return;
  }
  redact = redactor(read.secrets);
  const { space, spaceField, startsFromSpace, connector } = VENDORS[vendor];
  const environment = vendorEnvironment(process.env);
  // where nothing is given to start from, the session begins in a space that need not exist
  const start = startsFromSpace ? read.config : withoutSpace(vendor, read.config);
  const open = () => openAccount(vendor, start, environment);
  if (removeLeftovers) return await removeAll(open);
  const left = await leftIn(open);
  const removal = `npm run vendor -- ${vendor} --remove-leftovers`;
  for (const name of left)
    note(`The ${space} ${name} is of another run. If none goes on, remove it by \`${removal}\`.`);
  const name = nameSpace(new Date());
  note(`Working in the ${space} ${name}.`);
  await inOwnSpace(open, { name, removal }, async () => {
    {
      await using own = await openAccount(vendor, { ...read.config, [spaceField]: name }, environment);
      await own.run(preparationOf(vendor));
    }
    await runSentences(vendor, name);
  }).catch((failure) => {
    throw connector.classify(failure);
  });
  note(`Dropped the ${space} ${name}.`);
}

/** Returns the config of a session that creates the space: Databricks wants a schema that exists, BigQuery a name. */
function withoutSpace(vendor: VendorName, config: object) {
  const { [vendor]: name } = {
    databricks: 'default',
    bigquery: 'penstock',
    snowflake: undefined,
    redshift: undefined,
    postgresql: undefined,
  };
  return name === undefined ? { ...config } : { ...config, [VENDORS[vendor].spaceField]: name };
}

async function leftIn(open: () => Promise<Account>): Promise<readonly string[]> {
  await using account = await open();
  return await leftSpaces(account);
}

async function removeAll(open: () => Promise<Account>): Promise<void> {
  await using account = await open();
  const names = await leftSpaces(account);
  if (names.length === 0) note('Nothing was left behind.');
  for (const name of names) {
    await account.dropSpace(name, false);
    note(`Dropped ${name}.`);
  }
}

async function runSentences(vendor: VendorName, space: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-vendor-'));
  try {
    await runTests(join(folder, 'conformance.json'), {
      [VENDOR]: vendor,
      [SPACE]: space,
      PENSTOCK_TEST_FLEET: 'vendor',
    });
    if (stopping.signal.aborted) return;
    const isEndpoint = Object.keys(vendorEnvironment(process.env).endpoints).length > 0;
    const { head, rows, notes, failed } = tabulate(assertionsIn(folder), [
      { name: VENDORS[vendor].product, proof: () => (isEndpoint ? 'endpoint' : 'vendor') },
    ]);
    output.rows(
      head,
      rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index]]))),
    );
    for (const line of notes) output.line(redact(line));
    if (failed > 0 || rows.length < 12) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the tests in a group of their own, so that Ctrl-C reaches them through us, and ends them before the space goes. */
async function runTests(report: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const options = ['--config', 'vitest.vendor.config.ts', '--reporter=default', '--reporter=json'];
  const args = [vitest, 'run', ...options, `--outputFile.json=${report}`, ...sentenceFiles()];
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGTERM');
  stopping.signal.addEventListener('abort', end, { once: true });
  const copied = [copy(child.stdout, process.stdout), copy(child.stderr, process.stderr)];
  await new Promise((resolve) => child.once('close', resolve));
  stopping.signal.removeEventListener('abort', end);
  await Promise.all(copied);
}

async function copy(from: Readable, to: NodeJS.WritableStream): Promise<void> {
  for await (const line of createInterface({ input: from })) to.write(`${redact(line)}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    note(stopping.signal.aborted ? 'Still dropping what was created.' : 'Stopping; what was created is dropped.');
    process.exitCode = 130;
    stopping.abort();
  });
}

const HELP = `
Variables, one for each field of a connection's config; NAME_FILE names a file with the value instead.
${VENDOR_NAMES.map(
  (name) =>
    `  ${name}: ${variablesOf(name)
      .map((variable) => variable.name)
      .join(' ')}`,
).join('\n')}

docs/vendor-accounts.md says what the account needs.`;

await new Command('npm run vendor --')
  .description('run the connector contract against an account; it creates a schema, dataset or database and drops it')
  .addHelpText('after', HELP)
  .addArgument(new Argument('<vendor>').choices(VENDOR_NAMES))
  .option('--remove-leftovers', 'only drop what earlier runs left behind')
  .action(async (vendor: VendorName, options: Options) => {
    try {
      await main(vendor, options);
    } catch (failure) {
      note(messageOf(failure));
      process.exitCode ||= 1;
    }
  })
  .parseAsync();
// connections that an SDK keeps open for the next query are not waited for
process.exit();
