// One round: a new table, a new daemon with a new store, and in the server of that store a database for what the others write.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchDaemon, startBenchDaemon } from '../daemon.ts';
import { measureRun } from '../measure-run.ts';
import { FLOOR } from './compare-steps.ts';
import { type Copiers, createCopiers, dltTable, slingTable } from './copiers.ts';
import { copyTable } from './copy-table.ts';
import { definePipelines } from './define-pipelines.ts';
import type { PeerPrograms } from './install-peers.ts';
import { type MeasuredStep, measureStep, type StepName } from './measure-step.ts';
import { type PeopleTable, TABLE } from './people-table.ts';
import { FLOOR_TABLE, openTarget, settle, type Target } from './target.ts';

export interface RoundOrder {
  readonly programs: PeerPrograms;
  readonly table: PeopleTable;
  readonly rows: number;
}

interface Scene {
  readonly table: PeopleTable;
  readonly rows: number;
  readonly daemon: BenchDaemon;
  readonly target: Target;
  readonly copiers: Copiers;
  /** Measures a program of the bench; `into` is the table that must hold the people as they are now. */
  copy(step: StepName & { readonly into: string }, work: () => Promise<number>): Promise<void>;
  /** Measures a run of Penstock that must succeed with `rows` rows. */
  sync(step: StepName & { readonly pipeline: string }): Promise<void>;
}

/** Runs all systems one after the other and returns their steps in the order of the table. */
export async function runRound({ programs, table, rows }: RoundOrder): Promise<readonly MeasuredStep[]> {
  await table.fill(rows);
  const home = await mkdtemp(join(tmpdir(), 'penstock-peers-round-'));
  try {
    await using daemon = await startBenchDaemon();
    const target = await openTarget(daemon.store);
    await definePipelines(daemon, table.store.databaseUrl);
    const places = { source: table.store.databaseUrl, target: target.url, home };
    const measured: MeasuredStep[] = [];
    const copiers = createCopiers(programs, places);
    const scene = { table, rows, daemon, target, copiers };
    const whole = { ...scene, ...measuring(scene, measured) };
    await runFull(whole);
    await runFirst(whole);
    await runChanges(whole);
    return measured;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function measuring(
  { table, daemon, target }: Omit<Scene, 'copy' | 'sync'>,
  measured: MeasuredStep[],
): Pick<Scene, 'copy' | 'sync'> {
  const meters = { warehousePid: table.pid, storePid: daemon.storePid };
  const settled = () => Promise.all([table.store, daemon.store].map(settle));
  return {
    async copy({ into, ...step }, work) {
      await settled();
      measured.push(await measureStep(meters, step, work));
      const [copied, wanted] = await Promise.all([target.digest(into), table.digest()]);
      if (copied !== wanted) throw new Error(`${step.name}: ${into} holds ${copied} instead of ${wanted}.`);
    },
    async sync({ pipeline, ...step }) {
      await settled();
      const work = async () => {
        const run = await measureRun(daemon, { id: pipeline, name: step.name });
        if (run.rows !== step.rows)
          throw new Error(`${step.name}: ${run.rows} rows were delivered instead of ${step.rows}.`);
        return run.peakMb ?? 0;
      };
      measured.push(await measureStep(meters, { ...step, pid: daemon.pid }, work));
    },
  };
}

async function runFull({ copy, sync, copiers, table, rows, target }: Scene): Promise<void> {
  const step = (system: string) => ({ name: `${system}: full`, task: 'full' as const, rows });
  const places = [
    { url: table.store.databaseUrl, table: TABLE },
    { url: target.url, table: FLOOR_TABLE },
  ] as const;
  await copy({ name: FLOOR, task: 'full', rows, into: FLOOR_TABLE }, () => copyTable(...places));
  await copy({ ...step('Sling'), into: slingTable('full-refresh') }, () => copiers.sling('full-refresh'));
  for (const backend of ['pyarrow', 'connectorx'] as const) {
    const into = dltTable('replace', backend);
    await copy({ ...step(`dlt by ${backend}`), into }, () => copiers.dlt('replace', backend));
  }
  await sync({ ...step('Penstock, nobody known'), pipeline: 'full' });
  await sync({ ...step('Penstock, unchanged'), pipeline: 'full' });
  await table.changeHalf();
  await sync({ ...step('Penstock, half changed'), pipeline: 'full' });
}

async function runFirst({ copy, sync, copiers, rows }: Scene): Promise<void> {
  const step = (system: string) => ({ name: `${system}: first incremental`, task: 'first incremental' as const, rows });
  await copy({ ...step('Sling'), into: slingTable('incremental') }, () => copiers.sling('incremental'));
  await copy({ ...step('dlt by pyarrow'), into: dltTable('merge', 'pyarrow') }, () => copiers.dlt('merge', 'pyarrow'));
  await sync({ ...step('Penstock, nobody known'), pipeline: 'first' });
  await sync({ ...step('Penstock, unchanged'), pipeline: 'incremental' });
}

async function runChanges({ copy, sync, copiers, table }: Scene): Promise<void> {
  const rows = await table.changeSome();
  const step = (system: string) => ({ name: `${system}: changes`, task: 'changes' as const, rows });
  await copy({ ...step('Sling'), into: slingTable('incremental') }, () => copiers.sling('incremental'));
  await copy({ ...step('dlt by pyarrow'), into: dltTable('merge', 'pyarrow') }, () => copiers.dlt('merge', 'pyarrow'));
  await sync({ ...step('Penstock'), pipeline: 'incremental' });
}
