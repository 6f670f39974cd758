// Every call of the platform API that its own description allows, and many that it does not: no answer is a fault of ours, and
// each has a status and a body that the description names.
import { describe, expect, test } from 'vitest';
import { hasSchemathesis, schemathesis } from '../support/schemathesis/installation.ts';
import { probeApi } from '../support/schemathesis/probe-api.ts';
import { startProbedDaemon } from '../support/schemathesis/probed-daemon.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const isNeeded = process.env.PENSTOCK_TEST_SERVERS_NEEDED !== undefined;
const run = isNeeded || (await hasSchemathesis()) ? describe : describe.skip;

run('schemathesis (not run where `npm run soak` or CI has not installed it)', () => {
  test('finds no answer that is not described', async ({ signal }) => {
    const python = await schemathesis(signal);
    await using home = await temporaryHome();
    await using probed = await startProbedDaemon(home.path);
    const verdict = await probeApi(probed, { python, phases: ['coverage', 'fuzzing'], examples: 5, seed: 1 });
    expect(verdict.report).toContain('No issues found');
    expect(verdict.exitCode).toBe(0);
  }, 900_000);
});
