// Staging that a killed run has left behind goes also where no further run of a write-back comes.
import { expect, test } from 'vitest';
import { dropOwnStaging, stagingName } from '../../../../src/runs/write-back/staging.ts';
import type { Session } from '../../../../src/warehouse/index.ts';
import { fixtureOf } from '../../../conformance/fleet.ts';
import { peopleTable } from '../../../conformance/writing-back.ts';
import { until } from '../../../support/clocks/until.ts';
import { IDENTITY_KEY } from '../../../support/runs/test-engine.ts';
import { openWrittenBack } from '../../../support/runs/written-back.ts';

const fixture = fixtureOf('DuckDB');
const TABLE = peopleTable(fixture, [['ann', 'a@x.org', null, null, 1]]);

async function withLeftover() {
  const staging = new Set<string>();
  const here = await openWrittenBack(fixture, TABLE, { staging });
  const run = await here.run(await here.pipeline());
  const left = stagingName({ ledgerKey: IDENTITY_KEY }, { workspaceId: here.workspace, runId: run.id, fence: 1 });
  staging.add(left);
  // as a kill leaves it
  await here.store.execute('UPDATE written_back_tables SET staged_by = $1', [run.id]);
  const marks = () => here.store.query('SELECT staged_by FROM written_back_tables');
  return { here, run, staging, left, marks };
}

test('a run that ends well leaves nothing to look for', async () => {
  const staging = new Set<string>();
  await using here = await openWrittenBack(fixture, TABLE, {
    staging,
    interfere: async (request) => void staging.add(request.staging),
  });
  await here.run(await here.pipeline());
  expect(staging).toEqual(new Set());
  expect(await here.store.query('SELECT staged_by FROM written_back_tables')).toEqual([{ staged_by: null }]);
});

test('a worker that lost its run drops its own staging, and not that of the worker that has it now', async () => {
  const { here, run, marks } = await withLeftover();
  await using _ = here;
  const deps = { store: here.store, ledgerKey: IDENTITY_KEY } as unknown as Parameters<typeof dropOwnStaging>[0];
  const claimed = { workspaceId: here.workspace, runId: run.id, pipelineNumber: 1n, fence: 1 };
  const nameOf = (fence: number) => stagingName(deps, { ...claimed, fence });
  const names = new Set([nameOf(1), nameOf(2), nameOf(10)]);
  const session = {
    writeBack: {
      listStaging: async () => [...names],
      dropStaging: async (dropped: readonly string[]) => void dropped.map((name) => names.delete(name)),
    },
  } as unknown as Session;
  const [table] = await here.store.query<{ id: bigint }>('SELECT id FROM written_back_tables');
  const own = { claimed, tableId: table?.id ?? 0n, session, signal: new AbortController().signal };
  await dropOwnStaging(deps, own);
  expect(names).toEqual(new Set([nameOf(2), nameOf(10)]));
  expect(await marks()).toEqual([{ staged_by: run.id }]);
  // the other one has made none yet
  names.clear();
  await here.store.execute('UPDATE pipeline_runs SET fence = 2');
  await dropOwnStaging(deps, own);
  expect(await marks()).toEqual([{ staged_by: run.id }]);
  await dropOwnStaging(deps, { ...own, claimed: { ...claimed, fence: 2 } });
  expect(await marks()).toEqual([{ staged_by: null }]);
});

test('the cleanup drops what a run left that is over, and asks no second time', async () => {
  const { here, staging, marks } = await withLeftover();
  await using _ = here;
  staging.add('penstock_stg_of_another_installation');
  await here.engine.cleanUp();
  expect(staging).toEqual(new Set(['penstock_stg_of_another_installation']));
  expect(await marks()).toEqual([{ staged_by: null }]);
});

test('the cleanup leaves alone what a run goes on with', async () => {
  const { here, run, staging, left, marks } = await withLeftover();
  await using _ = here;
  await here.store.execute("UPDATE pipeline_runs SET status = 'running', fence = 1, ended_on = NULL");
  await here.engine.cleanUp();
  expect(staging).toEqual(new Set([left]));
  expect(await marks()).toEqual([{ staged_by: run.id }]);
  await here.store.execute("UPDATE pipeline_runs SET status = 'failed', ended_on = $1", [new Date(0)]);
  await here.engine.cleanUp();
  expect(staging).toEqual(new Set());
});

test('what cannot be reached now is looked for again', async () => {
  const { here, run, staging, marks } = await withLeftover();
  await using _ = here;
  await here.store.execute("UPDATE connections SET config = replace(config, 'false', 'true')");
  await here.engine.cleanUp();
  expect(await marks()).toEqual([{ staged_by: run.id }]);
  await here.store.execute("UPDATE connections SET config = replace(config, 'true', 'false')");
  await here.engine.cleanUp();
  expect(staging).toEqual(new Set());
});

test('a daemon looks when it starts', async () => {
  const { here, staging } = await withLeftover();
  await using _ = here;
  here.engine.start();
  await until(async () => staging.size === 0);
});
