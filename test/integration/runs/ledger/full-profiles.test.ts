// Rows that would leave a profile with more than the limits of the workspace allow: they fail, and their neighbours go on.
import { expect, test } from 'vitest';
import { someWorkspace, testKeyRing } from '../../../support/apis/test-access.ts';
import { testIdentities } from '../../../support/people/deliver-people.ts';
import { text } from '../../../support/people/people-runs.ts';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { createRunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, countsOf, readRun, WORKSPACE } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

test.each([
  ['profile_identities', 'user_identities', 'would hold 3 identities'],
  ['profile_attributes', 'user_attributes', 'would hold 2 attributes'],
])('a row that passes limits.%s fails as profile_full', async (limit, field, words) => {
  // the first of a store is that of all pipelines here
  await someWorkspace({ ...here, keyRing: testKeyRing() });
  await addPipeline(here.store);
  const most = limit === 'profile_identities' ? 2 : 1;
  await here.store.execute('INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)', [
    WORKSPACE,
    JSON.stringify({ limits: { [limit]: most } }),
  ]);
  const isIdentity = limit === 'profile_identities';
  here.warehouse.columns = [
    text('customer_id'),
    text('email'),
    ...(isIdentity ? [text('google')] : [text('a'), text('b')]),
  ];
  const more = isIdentity ? [null, 'g'] : [null, '1', '2'];
  const less = isIdentity ? ['x', null] : ['x', '1', null];
  here.warehouse.rows = [
    ['ann', ...less],
    ['ann', ...more],
    ['bob', ...less],
  ];
  const driver = await createRunDriver({ ...here, chunkRows: 10, identities: testIdentities() });
  const runId = await here.request();
  const claimed = await driver.claim(WORKSPACE, runId);
  expect(claimed !== undefined && (await driver.attempt(claimed))).toBe(true);
  expect(countsOf(await readRun(here.store, runId))).toEqual([3, 2, 1, 0, 0]);
  const failed = await here.store.query('SELECT rule, field, reason FROM failed_records');
  expect(failed).toEqual([
    {
      rule: 'profile_full',
      field,
      reason: expect.stringMatching(new RegExp(`${words}, and limits.${limit} allows ${most}`)),
    },
  ]);
});

test('a ceiling of the operator holds for rows, whatever the workspace set', async () => {
  await someWorkspace({ ...here, keyRing: testKeyRing() });
  await addPipeline(here.store);
  here.warehouse.columns = [text('customer_id'), text('a'), text('b')];
  here.warehouse.rows = [['ann', '1', '2']];
  const ceilings = { profile_attributes: 1 };
  const driver = await createRunDriver({ ...here, chunkRows: 10, identities: testIdentities(), ceilings });
  const claimed = await driver.claim(WORKSPACE, await here.request());
  expect(claimed !== undefined && (await driver.attempt(claimed))).toBe(true);
  const failed = await here.store.query('SELECT rule, reason FROM failed_records');
  expect(failed).toEqual([
    { rule: 'profile_full', reason: expect.stringContaining('limits.profile_attributes allows 1:') },
  ]);
});
