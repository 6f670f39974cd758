// `npm test`: vitest for a person to watch, its JSON report for the figures. The last line is `N passed, N failed`,
// after one that begins with `FAILED: ` for each failure.
// Arguments go to vitest as they are: `npm test -- test/unit`. PENSTOCK_TEST_REPORTS names a folder to leave the report in.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearKilledRuns } from '../crashes/clear-killed-runs.ts';
import { runGroup } from './run-group.ts';
import { readOutcome, summaryLine, tally } from './test-outcome.ts';

const root = join(import.meta.dirname, '..', '..', '..');

async function runVitest(reportFile: string, extra: readonly string[]): Promise<number> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const { exitCode, isInterrupted } = await runGroup(process.execPath, [vitest, 'run', ...reporters, ...extra], root);
  // vitest ends at once, without the teardown that stops the servers
  if (isInterrupted) await clearKilledRuns();
  return exitCode;
}

const folder = mkdtempSync(join(tmpdir(), 'penstock-tests-'));
try {
  const reportFile = join(folder, 'report.json');
  const exitCode = await runVitest(reportFile, process.argv.slice(2));
  const kept = process.env.PENSTOCK_TEST_REPORTS;
  if (kept && existsSync(reportFile)) copyFileSync(reportFile, join(kept, `${process.pid}.json`));
  const outcome = tally(readOutcome(reportFile), exitCode);
  for (const each of outcome.failures) console.log(`FAILED: ${each}`);
  console.log(summaryLine(outcome));
  process.exitCode = outcome.failed > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
