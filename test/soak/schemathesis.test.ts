// The long form of test/warehouses/schemathesis: more calls of each kind, and chains of them. PROBE_CALLS: of each operation.
import { expect, test } from 'vitest';
import { chooseSeed } from '../support/crashes/seeded-random.ts';
import { schemathesis } from '../support/schemathesis/installation.ts';
import { probeApi } from '../support/schemathesis/probe-api.ts';
import { startProbedDaemon } from '../support/schemathesis/probed-daemon.ts';
import { temporaryHome } from '../support/stores/temporary-home.ts';

const CALLS = Number(process.env.PROBE_CALLS ?? 200);

test('no call of the API gets an answer that its description does not have', async ({ signal }) => {
  const python = await schemathesis(signal);
  const seed = chooseSeed('schemathesis');
  await using home = await temporaryHome();
  await using probed = await startProbedDaemon(home.path);
  const phases = ['examples', 'coverage', 'fuzzing', 'stateful'] as const;
  const verdict = await probeApi(probed, { python, phases, examples: CALLS, seed });
  const refused = [...verdict.accepted].filter(([, count]) => count === 0).map(([operation]) => operation);
  process.stdout.write(
    `${verdict.accepted.size} operations, and none of the calls was right for: ${refused.join(', ')}\n`,
  );
  expect(verdict.report).toContain('No issues found');
  expect(verdict.exitCode).toBe(0);
}, 3_600_000);
