import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringifyJson } from '../../../../src/kernel/index.ts';
import { sealConfig } from '../../../../src/pipelines/connections/connection-config.ts';
import { runsSecrets } from '../../../../src/runs/index.ts';
import { lockClaims } from '../../../../src/runs/lifecycle/claim-lock.ts';
import { reencryptTable, type Store } from '../../../../src/store/index.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { addPipeline, WORKSPACE } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const BOTH = testKeyRing('next', 'test');
const [ofRuns] = runsSecrets({});

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

test('a snapshot that a claim under way takes is written anew as well, and stays to the letter otherwise', async () => {
  const { number } = await addPipeline(store);
  const connection = { workspaceId: WORKSPACE, id: 'warehouse' };
  const secret = { config: { host: 'db', password: 'p' }, secretFields: ['password'] };
  const config = sealConfig(testKeyRing('test'), connection, secret);
  const snapshot = stringifyJson({ connection: { id: 'warehouse', provider: 'Gamma', config }, amount: 1e21 });
  const exact = snapshot.replace('1e+21', '1.000000000000000000001');
  let reencrypting: Promise<unknown> | undefined;
  let isOver = false;
  await store.transaction(async (tx) => {
    await lockClaims(tx, WORKSPACE);
    reencrypting = reencryptTable(store, BOTH, ofRuns as NonNullable<typeof ofRuns>).finally(() => {
      isOver = true;
    });
    await tx.execute(
      `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
         logical_date, created_on, snapshot, extracted_records, successful_records, failed_records, deduplicated_records,
         erased_records)
       VALUES ($1, $2, 'warehouse', 'manual', 'running', 1, 1, '[]', '[]', $3, $3, $4, 0, 0, 0, 0, 0)`,
      [WORKSPACE, number, new Date(0), exact],
    );
    // longer than it takes to look for workspaces and to read runs without waiting
    for (let look = 0; look < 50; look++) await store.ping();
    expect(isOver).toBe(false);
  });
  expect(await reencrypting).toMatchObject({ written: 1 });
  const [row] = await store.query<{ snapshot: string }>('SELECT snapshot FROM pipeline_runs');
  const { password } = JSON.parse(row?.snapshot ?? '').connection.config;
  expect(BOTH.needsRotation(password)).toBe(false);
  expect(row?.snapshot.replace(password, '')).toBe(exact.replace(String(config.password), ''));
});
