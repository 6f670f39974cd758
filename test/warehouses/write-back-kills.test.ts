// kill -9 in the middle of writing MPIDs back, on the local servers: the next daemon brings the run to the same end, and no
// staging is left behind, also where no further run comes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Fixture, Warehouse } from '../conformance/fixture.ts';
import { fleet } from '../conformance/fleet.ts';
import { factsOf, manyPeople, peopleOf } from '../conformance/writing-back.ts';
import { until } from '../support/clocks/until.ts';
import { PIPELINES } from '../support/crashes/crash-pipeline.ts';
import { type CrashSite, openCrashSite, untilShare } from '../support/crashes/crash-site.ts';
import { endpointSettings } from '../support/crashes/server-sources.ts';
import {
  defineWriteBack,
  expectWritten,
  type ReadPeople,
  strike,
  writeBack,
} from '../support/crashes/write-back-kills.ts';
import { onServer } from '../support/warehouses/on-server.ts';

const PATIENCE_MS = 900_000;
const ROWS = 400;

interface Scene extends AsyncDisposable {
  readonly site: CrashSite;
  readonly warehouse: Warehouse;
  readonly rows: number;
  readonly read: ReadPeople;
}

async function openScene(fixture: Fixture): Promise<Scene> {
  const rows = Math.min(ROWS, fixture.writeBack?.many ?? ROWS);
  await using stack = new AsyncDisposableStack();
  const warehouse = stack.use(await fixture.start());
  await warehouse.seed(manyPeople(fixture, rows));
  const folder = await mkdtemp(join(tmpdir(), 'penstock-kills-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const environment = await endpointSettings(warehouse, folder);
  const site = stack.use(await openCrashSite({ store: 'shared', chunkRows: rows / 4, environment }));
  await site.serve();
  const connection = { service_provider: fixture.connector.provider, config: warehouse.config };
  await defineWriteBack(site, { connection }, factsOf(fixture).table('people'));
  const kept = stack.move();
  return {
    ...{ site, warehouse, rows },
    read: async () =>
      (await peopleOf(fixture, warehouse)).map(([customer, email, mpid, note, n]) => [
        ...([email ?? '', mpid === null ? null : `${mpid}`, `${customer} ${note} ${n}`] as const),
      ]),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Waits until the run has staging in the warehouse. False: it is over, and had none that could be seen. */
async function untilStaged(fixture: Fixture, { site, warehouse }: Scene, run: number): Promise<boolean> {
  const { leftovers } = factsOf(fixture);
  return await until(async () => {
    if ((await leftovers(warehouse)).length > 0) return 'staged' as const;
    const { ended_on } = await site.api.get(`${PIPELINES}/people/runs/${run}`);
    return ended_on === null ? undefined : ('over' as const);
  }, PATIENCE_MS).then((seen) => seen === 'staged');
}

for (const fixture of fleet.filter(
  ({ server, connector }) => server !== undefined && connector.capabilities.writeBack,
)) {
  const { connector, server } = fixture;
  const { leftovers } = factsOf(fixture);
  const isKept = connector.capabilities.keepsStaging === true;
  onServer(server ?? 'snowflake', `${connector.product}: daemons that are killed while they write back`, () => {
    test(
      'while one resolves, and while one writes: the next attempt brings it to its end',
      async () => {
        await using scene = await openScene(fixture);
        const { site, warehouse, rows, read } = scene;
        const before = await read();
        const run = await writeBack(site);
        expect(await untilShare(site, { runIds: [run], rows }, 0.3)).toBe(true);
        await strike(site);
        expect(await read()).toEqual(before);

        await site.store.execute('UPDATE pipeline_runs SET extracted_records = 0, successful_records = 0');
        await site.serve();
        expect(await untilStaged(fixture, scene, run)).toBe(true);
        await strike(site);
        const left = await leftovers(warehouse);
        expect(left).toHaveLength(1);
        await site.serve();
        await expectWritten(site, run, { before, read });
        // the local Snowflake never ends a session, nor its TEMPORARY tables: there it stays what the kill has left
        expect(await leftovers(warehouse)).toEqual(isKept ? [] : left);
      },
      PATIENCE_MS,
    );

    // staging that ends with its session needs nobody who clears up
    test.runIf(isKept)(
      'and whose run does not go on: the next daemon clears up when it starts',
      async () => {
        await using scene = await openScene(fixture);
        const { site, warehouse, read } = scene;
        const before = await read();
        const run = await writeBack(site);
        expect(await untilStaged(fixture, scene, run)).toBe(true);
        await strike(site);
        await site.store.execute("UPDATE pipeline_runs SET status = 'failed', ended_on = $1", [new Date()]);
        await site.serve();
        await until(async () => (await leftovers(warehouse)).length === 0, PATIENCE_MS);
        await expectWritten(site, await writeBack(site), { before, read });
      },
      PATIENCE_MS,
    );
  });
}
