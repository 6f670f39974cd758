import { expect, test } from 'vitest';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { testIdentities } from '../../../support/people/deliver-people.ts';
import { text } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { createRunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

const setStrategy = (strategy: string) =>
  here.store.execute(
    `INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)
     ON CONFLICT (workspace_id) DO UPDATE SET settings = $2`,
    [WORKSPACE, JSON.stringify({ identity: { strategy } })],
  );

/** E-mail addresses that one profile shares with a customer, and those whose customer remembers another profile. */
async function customers() {
  const rows = await here.store.query<{ email: string; is_linked: boolean }>(
    `SELECT identities::jsonb -> 0 ->> 1 AS email, source_mpid IS NOT NULL AS is_linked FROM profiles
     WHERE workspace_id = $1 AND holds_login ORDER BY 1`,
    [WORKSPACE],
  );
  return Object.fromEntries(rows.map(({ email, is_linked }) => [email, is_linked]));
}

test('a run keeps the strategy that it began with over all attempts; a changed one counts from the next run', async () => {
  // the first of a store is that of all pipelines here
  await someWorkspace({ ...here, keyRing: testKeyRing() });
  await addPipeline(here.store);
  here.warehouse.columns = [text('customer_id'), text('email')];
  const emails = ['a', 'b'];
  here.warehouse.rows = [...emails.map((email) => [null, email]), ...emails.map((email) => [`c-${email}`, email])];
  await setStrategy('profile_link');
  const driver = await createRunDriver({ ...here, chunkRows: 2, identities: testIdentities() });
  const attempt = async (runId: bigint) => {
    const claimed = await driver.claim(WORKSPACE, runId);
    return claimed !== undefined && (await driver.attempt(claimed));
  };
  const first = await here.request();
  here.warehouse.gate = async () => driver.kill();
  expect([await attempt(first), await customers()]).toEqual([false, {}]);
  here.warehouse.gate = async () => undefined;
  await setStrategy('profile_conversion');
  expect(await attempt(first)).toBe(true);
  expect(await customers()).toEqual({ a: true, b: true });
  here.warehouse.rows = [
    [null, 'd'],
    ['c-d', 'd'],
  ];
  expect(await attempt(await here.request())).toBe(true);
  expect(await customers()).toEqual({ a: true, b: true, 'c-d': false });
});

test('a run that began before runs kept their strategy goes by the settings of the workspace', async () => {
  await someWorkspace({ ...here, keyRing: testKeyRing() });
  await addPipeline(here.store);
  here.warehouse.columns = [text('customer_id'), text('email')];
  here.warehouse.rows = [
    [null, 'a'],
    ['c-a', 'a'],
  ];
  await setStrategy('profile_link');
  const driver = await createRunDriver({ ...here, chunkRows: 1, identities: testIdentities() });
  const runId = await here.request();
  await driver.claim(WORKSPACE, runId);
  const former = await here.store.execute(
    `UPDATE pipeline_runs SET snapshot = (snapshot::jsonb - 'identity')::text WHERE workspace_id = $1 AND id = $2`,
    [WORKSPACE, runId],
  );
  expect(former).toBe(1);
  const claimed = await driver.claim(WORKSPACE, runId);
  expect(claimed !== undefined && (await driver.attempt(claimed))).toBe(true);
  expect(await customers()).toEqual({ a: true });
});
