// Every call of the platform API that its own description allows, and many that it does not: no answer is a fault of ours, and
// each has a status and a body that the description names.
import { describe, expect, test } from 'vitest';
import { hasSchemathesis, schemathesis } from '../support/schemathesis/installation.ts';
import { probeApi } from '../support/schemathesis/probe-api.ts';
import { startProbedDaemon } from '../support/schemathesis/probed-daemon.ts';
import type { Document } from '../support/schemathesis/prober-document.ts';
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
    // its calls did not all end at credentials, paths and schemas
    const changes = await probed.changes();
    for (const action of ['connection.created', 'data_model.created', 'data_plan.created', 'feed.created']) {
      expect([action, changes.get(action)]).toEqual([action, expect.toSatisfy((count: number) => count > 3)]);
    }
    expect(changes.get('settings.changed')).toBeGreaterThan(3);
  }, 900_000);

  test('would find one', async ({ signal }) => {
    const python = await schemathesis(signal);
    await using home = await temporaryHome();
    await using probed = await startProbedDaemon(home.path);
    const only = ['createDataPlan'];
    const probing = { python, phases: ['fuzzing'] as const, examples: 30, seed: 1, only };
    const verdict = await probeApi(probed, {
      ...probing,
      retell: (document) => without(document, only[0] ?? '', '409'),
    });
    expect(verdict.report).toContain('Undocumented status code');
    expect(verdict.exitCode).toBe(1);
  }, 900_000);
});

/** A description that forgets one answer of one operation. */
function without(document: Document, operationId: string, status: string): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => {
      const { [status]: _forgotten, ...responses } = operation.responses;
      return [method, operation.operationId === operationId ? { ...operation, responses } : operation];
    });
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}
