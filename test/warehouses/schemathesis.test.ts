// Every call of the API that its own description allows, and many that it does not: no answer is a fault of ours, and each has
// a status and a body that the description names.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasSchemathesis, schemathesis } from '../support/schemathesis/installation.ts';
import { type Probing, probeApi } from '../support/schemathesis/probe-api.ts';
import { type ProbedDaemon, startProbedDaemon } from '../support/schemathesis/probed-daemon.ts';
import type { Document } from '../support/schemathesis/prober-document.ts';
import { type TemporaryHome, temporaryHome } from '../support/stores/temporary-home.ts';

const isNeeded = process.env.PENSTOCK_TEST_SERVERS_NEEDED !== undefined;
const run = isNeeded || (await hasSchemathesis()) ? describe : describe.skip;

run('schemathesis (not run where `npm run soak` or CI has not installed it)', () => {
  let home: TemporaryHome;
  let probed: ProbedDaemon;
  let probing: Pick<Probing, 'python' | 'seed'>;
  beforeAll(async () => {
    probing = { python: await schemathesis(new AbortController().signal), seed: 1 };
    home = await temporaryHome();
    probed = await startProbedDaemon(home.path);
  }, 900_000);
  afterAll(async () => {
    await probed?.[Symbol.asyncDispose]();
    await home?.[Symbol.asyncDispose]();
  });

  test('finds no answer that is not described', async () => {
    const phases = ['examples', 'coverage', 'fuzzing'] as const;
    const verdict = await probeApi(probed, { ...probing, phases, examples: 3, isShort: true });
    expect(verdict.report).toContain('No issues found');
    expect(verdict.exitCode).toBe(0);
    // its calls did not all end at credentials, paths and schemas: each operation took some, but for what asks a warehouse
    expect(verdict.accepted.size).toBeGreaterThan(100);
    const never = [...verdict.accepted].filter(([, count]) => count === 0).map(([operation]) => operation);
    expect(never.filter((operation) => operation !== AFTER_RESET).toSorted()).toEqual(ASKING);
  }, 900_000);

  test.each([
    ['status', 'Undocumented', '200'],
    ['field of a body', 'violates schema', 'new_login_lifts'],
  ])(
    'would find a %s that is not described',
    async (_what, found, forgotten) => {
      const probe = { ...probing, phases: ['fuzzing'], examples: 5, only: ['getSettings'] } as const;
      const verdict = await probeApi(probed, { ...probe, retell: without(forgotten) });
      expect(verdict.report).toContain(found);
      expect(verdict.exitCode).toBe(1);
    },
    900_000,
  );
});

const ONE = '/platform/v1/workspaces/{workspaceId}/inputs/warehouse/connections';
/** Operations that answer 505 where the warehouse cannot be reached; nothing is saved then (D-076). */
const ASKING = [`POST ${ONE}`, `PUT ${ONE}/{connectionId}`];

/** Refused once a reset among the calls has ended the time line of the run whose records it would retry. */
const AFTER_RESET =
  'POST /platform/v2/workspaces/{workspaceId}/inputs/data-pipelines/{pipelineId}/runs/{runId}/failed-records/retry';

/** A description that forgets one answer of reading the settings, or one field of what it answers. */
function without(forgotten: string): (document: Document) => Document {
  const path = '/platform/v2/workspaces/{workspaceId}/settings';
  const forget = (name: string, value: unknown) => {
    if (name === forgotten) return undefined;
    return Array.isArray(value) ? value.filter((item) => item !== forgotten) : value;
  };
  return (document) => {
    const retold = JSON.parse(JSON.stringify(document.paths[path], forget)) as Document['paths'][string];
    return { ...document, paths: { ...document.paths, [path]: retold } };
  };
}
