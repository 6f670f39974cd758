// Random sources, random ends of runs, and the statements as they are: each row arrives as often as it stands in the source.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError, formatMicros, microsOfMs, type WorkspaceId, workspaceId } from '../../../../src/kernel/index.ts';
import { pipelines, requestRun, type SyncMode } from '../../../../src/pipelines/index.ts';
import { cancelRun } from '../../../../src/runs/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { type HandClock, handClock } from '../../../support/clocks/hand-clock.ts';
import { type FakeWarehouse, fakeWarehouse } from '../../../support/fakes/fake-warehouse.ts';
import { COLUMNS, INCREMENTAL, text } from '../../../support/people/people-runs.ts';
import { createRunDriver, type RunDriver } from '../../../support/runs/run-driver.ts';
import { addPipeline, countsOf, readPipeline, readRun } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const START_MS = Date.UTC(2026, 0, 15, 12);
const MINUTE_MS = 60_000;
const CHUNK_ROWS = 4;
const RUNS = Number(process.env.TEST_PROPERTY_RUNS ?? 24);

/** How an attempt ends: where it meets it, counted in chunks; `success` means that nothing comes in between. */
type Ending = {
  readonly how:
    | 'success'
    | 'killed'
    | 'killed in a transaction'
    | 'killed after a commit'
    | 'fail'
    | 'defer'
    | 'cancel';
  readonly chunk: number;
};

type Step =
  | { readonly kind: 'run'; readonly minutes: number; readonly attempts: readonly Ending[]; readonly last: Ending }
  | { readonly kind: 'reset' }
  | { readonly kind: 'column' }
  | { readonly kind: 'lookback'; readonly minutes: number };

interface SourceRow {
  readonly name: string;
  readonly minute: number;
  readonly times: number;
}

const chunk = fc.nat({ max: 5 });
const passing = fc.record({
  how: fc.constantFrom('killed', 'killed in a transaction', 'killed after a commit', 'defer'),
  chunk,
}) as fc.Arbitrary<Ending>;
const ending = fc.record({
  how: fc.constantFrom('success', 'success', 'fail', 'cancel'),
  chunk,
}) as fc.Arbitrary<Ending>;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      minutes: fc.integer({ min: 1, max: 8 }),
      attempts: fc.array(passing, { maxLength: 3 }),
      last: ending,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'column' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lookback' as const), minutes: fc.integer({ min: 0, max: 20 }) }),
  },
);
const row: fc.Arbitrary<SourceRow> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'poison', 'unmapped'),
  minute: fc.integer({ min: -5, max: 30 }),
  times: fc.constantFrom(1, 1, 2, 5),
});
const world = fc.record({
  rows: fc.uniqueArray(row, { maxLength: 14, selector: ({ name, minute }) => `${name}${minute}` }),
  steps: fc.array(step, { minLength: 1, maxLength: 7 }),
  lookback: fc.integer({ min: 0, max: 10 }),
  rowKey: fc.boolean(),
  seed: fc.nat(),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

let store: Store;
let clock: HandClock;
let warehouse: FakeWarehouse;
let driver: RunDriver;
let workspaces = 100n;

beforeAll(async () => {
  store = await openTestStore();
  clock = handClock(START_MS);
  warehouse = fakeWarehouse({ columns: COLUMNS, iterator: 'at', nowMs: () => clock.nowMs() });
  driver = await createRunDriver({ store, clock, warehouse, chunkRows: CHUNK_ROWS });
});
afterAll(() => store[Symbol.asyncDispose]());

const emailOf = ({ name, minute }: SourceRow) => `${name}-${minute}@example.org`;
const instantOf = (minute: number) => formatMicros(microsOfMs(START_MS + minute * MINUTE_MS));

/** Rows in another order each time they are read, as a warehouse may give them; columns that were gained hold values or nothing. */
function shuffled(rows: readonly SourceRow[], random: () => number) {
  const gained = warehouse.columns.slice(COLUMNS.length);
  const cells = rows.flatMap((each) =>
    Array.from({ length: each.times }, () => [
      each.name === 'unmapped' ? null : emailOf(each),
      'City',
      instantOf(each.minute),
      ...gained.map(() => (each.minute % 2 === 0 ? null : each.name)),
    ]),
  );
  return cells
    .map((cell) => [random(), cell] as const)
    .sort(([left], [right]) => left - right)
    .map(([, cell]) => cell);
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

interface Scene {
  readonly workspace: WorkspaceId;
  readonly world: World;
  readonly random: () => number;
}

async function requestedRun({ workspace }: Scene): Promise<bigint> {
  const pipeline = await readPipeline(store, { workspace });
  const nowMs = clock.nowMs();
  const times = { logicalDateMs: nowMs, nominalEndMs: nowMs, nowMs };
  const id = await store.transaction((tx) => requestRun(tx, driver.deps.jobs, { pipeline, type: 'manual', ...times }));
  if (id === undefined) throw new Error('A run is live.');
  return id;
}

/** Arms the faults of one attempt, then runs it; what was not met does not happen. */
async function attempt(scene: Scene, runId: bigint, { how, chunk: at }: Ending): Promise<void> {
  warehouse.rows = shuffled(scene.world.rows, scene.random);
  let delivering = 0;
  let delivered = 0;
  driver.onDelivering = async () => {
    if (how === 'killed in a transaction' && delivering++ === at) driver.kill();
  };
  driver.onDelivered = () => {
    if (how === 'killed after a commit' && delivered++ === at) driver.kill();
  };
  warehouse.gate = async (read) => {
    if (read !== at) return;
    if (how === 'killed') driver.kill();
    if (how === 'fail') throw new AppError('WAREHOUSE_DATA', 'Division by zero.');
    if (how === 'defer') throw new AppError('WAREHOUSE_SESSION_LOST', 'The session is gone.');
    if (how === 'cancel') await cancel(scene, runId);
  };
  const claimed = await driver.claim(scene.workspace, runId);
  if (claimed === undefined) throw new Error('The run cannot be claimed.');
  await driver.attempt(claimed);
}

async function cancel({ workspace }: Scene, runId: bigint): Promise<void> {
  const cancellation = { workspaceId: workspace, runId, nowMs: clock.nowMs() };
  await store.transaction((tx) => cancelRun(tx, driver.deps.jobs, cancellation));
}

/** A run through all its attempts; it may end earlier than they, and whatever it is, its counts balance. */
async function play(scene: Scene, attempts: readonly Ending[]): Promise<string> {
  const runId = await requestedRun(scene);
  for (const each of attempts) {
    const { status } = await readRun(store, runId);
    if (!['queued', 'running', 'retrying'].includes(status)) break;
    await store.execute('UPDATE pipeline_runs SET retry_at = NULL WHERE id = $1', [runId]);
    await attempt(scene, runId, each);
    const run = await readRun(store, runId);
    const [extracted, ...parts] = countsOf(run);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(extracted);
    const [kept] = await store.query<{ n: bigint }>('SELECT count(*) AS n FROM failed_records WHERE run_id = $1', [
      runId,
    ]);
    expect(kept?.n).toBe(run.failedRecords);
  }
  return (await readRun(store, runId)).status;
}

const SUCCESS: Ending = { how: 'success', chunk: 0 };

async function begin(given: World, syncMode: SyncMode): Promise<Scene> {
  clock.set(START_MS);
  warehouse.columns = COLUMNS;
  const workspace = workspaceId(workspaces++);
  await addPipeline(store, { workspace, syncMode });
  if (given.rowKey) await store.orm.update(pipelines).set({ kept: { rowKey: ['email', 'at'] } });
  return { workspace, world: given, random: randomOf(given.seed) };
}

async function resetPipeline({ workspace }: Scene): Promise<void> {
  await store.execute(
    `UPDATE pipelines SET generation = generation + 1, position = NULL, ledger_from = NULL, fault = NULL
     WHERE workspace_id = $1`,
    [workspace],
  );
}

const withLookback = (minutes: number): SyncMode => ({
  ...INCREMENTAL,
  ...(minutes > 0 && { lookback: `${minutes}m` }),
});

/** The model has one more column from now on. */
function gainColumn(): void {
  warehouse.columns = [...warehouse.columns, text(`gained ${warehouse.columns.length}`)];
}

async function setLookback({ workspace }: Scene, minutes: number): Promise<void> {
  await store.execute('UPDATE pipelines SET sync_mode = $2 WHERE workspace_id = $1', [
    workspace,
    JSON.stringify(withLookback(minutes)),
  ]);
}

/** Times that each row arrived beyond `before`, and each failed row was kept, in the order of the source. */
async function arrivals({ workspace, world: { rows } }: Scene): Promise<readonly number[]> {
  const delivered = await driver.delivered(workspace);
  const failed = await store.query<{ row: string; n: bigint }>(
    'SELECT row, count(*) AS n FROM failed_records WHERE workspace_id = $1 GROUP BY row',
    [workspace],
  );
  return rows.map((each) => {
    const email = each.name === 'unmapped' ? null : emailOf(each);
    const same = failed.filter(({ row: kept }) => {
      const cells = JSON.parse(kept);
      return cells.email === email && cells.at === instantOf(each.minute);
    });
    return same.reduce((times, { n }) => times + Number(n), delivered.get(emailOf(each)) ?? 0);
  });
}

const FINALLY: Step = { kind: 'run', minutes: 1, attempts: [], last: SUCCESS };

/** Since `before`: what the run had to deliver arrived as often as it stands in the source, and nothing more often. */
async function expectArrivals(scene: Scene, before: readonly number[], isDue: (row: SourceRow) => boolean) {
  const arrived = await arrivals(scene);
  for (const [index, each] of scene.world.rows.entries()) {
    const times = (arrived[index] ?? 0) - (before[index] ?? 0);
    if (isDue(each)) expect(times, `${each.name} of minute ${each.minute}`).toBe(each.times);
    else expect(times).toBeLessThanOrEqual(each.times);
  }
}

async function playIncremental(scene: Scene, step: Extract<Step, { kind: 'run' }>, before: readonly number[]) {
  clock.advance(step.minutes * MINUTE_MS);
  const status = await play(scene, [...step.attempts, step.last]);
  const { position } = await readPipeline(store, { workspace: scene.workspace });
  const end = position === null ? '' : formatMicros(position);
  await expectArrivals(scene, before, ({ minute }) => status === 'success' && instantOf(minute) < end);
}

/** Answers what had arrived before the newest reset. */
async function playStep(scene: Scene, step: Step, before: readonly number[]): Promise<readonly number[]> {
  if (step.kind === 'lookback') await setLookback(scene, step.minutes);
  if (step.kind === 'column') gainColumn();
  if (step.kind === 'run') await playIncremental(scene, step, before);
  if (step.kind !== 'reset') return before;
  await resetPipeline(scene);
  return await arrivals(scene);
}

async function playFull(scene: Scene, step: Extract<Step, { kind: 'run' }>): Promise<void> {
  const before = await arrivals(scene);
  const status = await play(scene, [...step.attempts, step.last]);
  await expectArrivals(scene, before, () => status === 'success');
  const chunks = await store.query('SELECT run_id FROM run_chunks WHERE workspace_id = $1', [scene.workspace]);
  // that of a failed run is for its retry
  if (status === 'success') expect(chunks).toEqual([]);
}

describe('whatever ends the attempts of a run, and in whatever order rows come', () => {
  test('an incremental pipeline delivers each row as often as it stands in the source', async () => {
    const property = fc.asyncProperty(world, async (given) => {
      const scene = await begin(given, withLookback(given.lookback));
      let before: readonly number[] = [];
      for (const each of [...given.steps, FINALLY]) before = await playStep(scene, each, before);
    });
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true });
  }, 600_000);

  test('a full pipeline delivers each row as often as it stands in the source, with each of its runs', async () => {
    const property = fc.asyncProperty(world, async (given) => {
      const scene = await begin(given, { type: 'full' });
      for (const each of [...given.steps, FINALLY]) {
        if (each.kind === 'column') gainColumn();
        if (each.kind === 'run') await playFull(scene, each);
      }
    });
    await fc.assert(property, { numRuns: RUNS / 2, endOnFailure: true });
  }, 600_000);
});
