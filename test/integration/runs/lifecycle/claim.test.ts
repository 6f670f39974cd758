import { expect, test } from 'vitest';
import { drivenRuns } from '../../../support/runs/driven-runs.ts';
import { addPipeline } from '../../../support/runs/test-engine.ts';

const here = drivenRuns();

const connect = (connectionId: string) =>
  here.store.execute(`UPDATE pipelines SET connection_id = $1 WHERE workspace_id = 1 AND id = 'people'`, [
    connectionId,
  ]);

async function claimed(runId: bigint) {
  const { snapshot } = await here.claim(runId);
  const [run] = await here.store.query<{ connection_id: string }>(
    'SELECT connection_id FROM pipeline_runs WHERE workspace_id = 1 AND id = $1',
    [runId],
  );
  return [snapshot.connection.id, run?.connection_id];
}

test('a run that waited counts against the connection that its pipeline has when it begins, over all attempts', async () => {
  await addPipeline(here.store);
  await addPipeline(here.store, { id: 'others', connectionId: 'other' });
  const id = await here.request();
  await connect('other');
  expect(await claimed(id)).toEqual(['other', 'other']);
  await connect('warehouse');
  expect(await claimed(id)).toEqual(['other', 'other']);
});
