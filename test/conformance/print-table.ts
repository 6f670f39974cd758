// `npm run conformance`: runs the twelve sentences and prints one table of what they came to; `-- FOLDER` prints that of
// reports which `npm test` left in PENSTOCK_TEST_REPORTS. Exit code 1 when a sentence failed, or was not run where
// PENSTOCK_TEST_SERVERS_NEEDED says that all servers must be there.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROVIDERS } from '../../connectors/facts.ts';
import { createOutput } from '../../src/cli/output.ts';
import { fleet } from './fleet.ts';
import { assertionsIn, ROOT, sentenceFiles } from './reports.ts';
import { type Product, tabulate } from './table.ts';

const output = createOutput({ out: process.stdout, err: process.stderr, json: false });

function products(): readonly Product[] {
  return PROVIDERS.map((provider) => {
    const fixture = fleet.find(({ connector }) => connector.provider === provider);
    const proof = fixture && ((sentence: number) => fixture.provenElse?.[sentence] ?? fixture.provenBy);
    return { name: fixture?.connector.product ?? provider, proof };
  });
}

function runSentences(folder: string): void {
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${join(folder, 'conformance.json')}`];
  spawnSync(process.execPath, [vitest, 'run', ...reporters, ...sentenceFiles()], { cwd: ROOT, stdio: 'inherit' });
}

const given = process.argv[2];
const folder = given ?? mkdtempSync(join(tmpdir(), 'penstock-conformance-'));
try {
  if (given === undefined) runSentences(folder);
  const { head, rows, notes, failed, notRun } = tabulate(assertionsIn(folder), products());
  output.rows(
    head,
    rows.map((row) => Object.fromEntries(head.map((name, index) => [name, row[index]]))),
  );
  for (const note of notes) output.line(note);
  const isIncomplete = rows.length < 12 || (notRun > 0 && process.env.PENSTOCK_TEST_SERVERS_NEEDED !== undefined);
  if (failed > 0 || isIncomplete) process.exitCode = 1;
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
