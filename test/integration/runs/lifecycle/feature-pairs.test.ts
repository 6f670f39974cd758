// Pairs of features: any call of the API, failure, erasure or lost worker, between any two others and in the middle of runs.
// TEST_PROPERTY_RUNS makes more histories, CRASH_SEED those of a seed again.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../../../src/kernel/index.ts';
import type { Store } from '../../../../src/store/index.ts';
import { chooseSeed } from '../../../support/crashes/seeded-random.ts';
import * as actions from '../../../support/pairs/paired-actions.ts';
import * as model from '../../../support/pairs/paired-model.ts';
import { CONNECTIONS, type PairedWorld, PLANNED, pairedWorld } from '../../../support/pairs/paired-world.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const RUNS = Number(process.env.TEST_PROPERTY_RUNS ?? 4);
const MINUTE_MS = 60_000;

/** Something that may happen at any time. */
type Action =
  | {
      readonly kind: 'trigger' | 'retry run' | 'retry records' | 'cancel' | 'reset' | 'put model';
      readonly pipeline: number;
    }
  | { readonly kind: 'put pipeline'; readonly pipeline: number; readonly put: actions.PipelinePut }
  | { readonly kind: 'put connection' | 'rotate' | 'outage' | 'heal'; readonly connection: number }
  | {
      readonly kind: 'rows';
      readonly pipeline: number;
      readonly count: number;
      readonly minutes: number;
      long: boolean;
    }
  | { readonly kind: 'access' | 'erase'; readonly pipeline: number; readonly row: number }
  | { readonly kind: 'limit'; readonly isHigh: boolean }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'work' };
/** What ends the attempt in which it happens; a worker of a data subject request dies after `statements`. */
type Ending = { readonly kind: 'kill' | 'lose session' | 'refuse' | 'go on'; readonly statements: number };
/** The action; then the oldest job is worked, and between two chunks of its run happens what is `meanwhile`. */
type Step = { readonly action: Action; readonly chunk: number; readonly meanwhile: readonly Action[]; ending: Ending };

const pipeline = fc.nat({ max: PLANNED.length - 1 });
const connection = fc.nat({ max: CONNECTIONS.length - 1 });
const kindOf = <Kind extends string>(...kinds: readonly Kind[]) => fc.constantFrom(...kinds);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kindOf('trigger', 'trigger', 'retry run', 'retry records', 'cancel', 'reset', 'put model'),
      pipeline,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kindOf('put pipeline'),
      pipeline,
      put: fc.record({
        state: kindOf('active', 'active', 'paused'),
        delay: fc.constantFrom(0, 0, 30),
        lookback: fc.constantFrom(0, 0, 60),
        hasRowKey: fc.boolean(),
      }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('put connection', 'rotate', 'outage', 'heal'), connection }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: kindOf('rows'),
      pipeline,
      count: fc.integer({ min: 1, max: 8 }),
      minutes: fc.integer({ min: -90, max: 30 }),
      long: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kindOf('access', 'erase', 'erase'), pipeline, row: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf('limit'), isHigh: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('pass'), minutes: fc.integer({ min: 1, max: 90 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: kindOf('work') }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  action,
  chunk: fc.integer({ min: 1, max: 2 }),
  meanwhile: fc.array(action, { maxLength: 3 }),
  ending: fc.record({
    kind: kindOf('kill', 'lose session', 'refuse', 'go on', 'go on'),
    statements: fc.nat({ max: 40 }),
  }),
});

let store: Store;
let world: PairedWorld;
let known: model.Model;

beforeAll(async () => {
  store = await openTestStore();
  world = await pairedWorld(store);
});
afterAll(() => store[Symbol.asyncDispose]());

const nameOf = (index: number) => PLANNED[index]?.id ?? '';
const planned = (index: number) => PLANNED[index] ?? expect.fail();

async function addRows(id: string, { count, minutes, long }: Extract<Action, { kind: 'rows' }>): Promise<void> {
  const rows = known.rows.get(id) ?? [];
  const readUpTo = await model.readUpTo(world, id);
  const nowMs = world.clock.nowMs();
  for (let added = 0; added < count; added++) {
    const at = model.instantOf(nowMs + (minutes + added) * MINUTE_MS);
    const email = `${id}.${rows.length}.of.${world.caller.workspaceId}@example.org`;
    const state = { isLate: at < readUpTo, isErased: false, before: 0 };
    rows.push({ email, at, isLong: long && added % 2 === 0, ...state });
  }
  world.warehouse.tables.set(id, rows.map(model.cellsOf));
}

async function pass(minutes: number): Promise<void> {
  world.clock.advance(minutes * MINUTE_MS);
  await world.poll();
}

async function askAbout(
  id: string,
  { kind, row: index }: Extract<Action, { kind: 'access' | 'erase' }>,
): Promise<void> {
  const row = known.rows.get(id)?.[index];
  if (row === undefined) return;
  if (kind === 'erase') row.isErased = true;
  await actions.enterRequest(world, kind === 'erase' ? 'erasure' : 'access', row.email);
}

async function playServer(kind: 'put connection' | 'rotate' | 'outage' | 'heal', id: string): Promise<void> {
  const server = world.warehouse.servers.get(id) ?? expect.fail();
  if (kind === 'rotate') {
    known.mended.delete(id);
    server.password = `since ${world.clock.nowMs()}`;
  }
  if (kind === 'outage' || kind === 'heal') server.isAway = kind === 'outage';
  if (kind !== 'put connection' || !(await actions.putConnection(world, id))) return;
  // the PUT asks the server, and one that is away is a fault
  if (server.isAway) known.mended.delete(id);
  else known.mended.add(id);
}

async function playPipeline(kind: Action['kind'], id: string): Promise<void> {
  if (kind === 'trigger') await actions.trigger(world, id);
  if (kind === 'retry run') await actions.retryAsOne(world, id);
  if (kind === 'retry records') await actions.retryRecords(world, id);
  if (kind === 'put model') await actions.putModel(world, id);
  if (kind === 'cancel') await actions.cancel(world, id);
  if (kind === 'reset' && (await actions.reset(world, id))) await model.beginTimeLine(world, known, id);
}

async function play(each: Action): Promise<void> {
  world.clock.advance(1000);
  if (each.kind === 'put pipeline') await actions.putPipeline(world, planned(each.pipeline), each.put);
  else if (each.kind === 'rows') await addRows(nameOf(each.pipeline), each);
  else if (each.kind === 'access' || each.kind === 'erase') await askAbout(nameOf(each.pipeline), each);
  else if (each.kind === 'limit') await actions.setLimit(world, each.isHigh ? 9999 : 4096);
  else if (each.kind === 'pass') await pass(each.minutes);
  else if (each.kind === 'work') await world.work();
  else if ('connection' in each) await playServer(each.kind, CONNECTIONS[each.connection] ?? '');
  else await playPipeline(each.kind, nameOf(each.pipeline));
}

function end({ kind }: Ending): void {
  if (kind === 'kill') world.kill();
  if (kind === 'lose session') throw new AppError('WAREHOUSE_SESSION_LOST', 'The session is gone.');
  if (kind === 'refuse') throw new AppError('WAREHOUSE_SQL_INVALID', 'A column is gone.');
}

/** The first read that comes to the chunk meets what happens meanwhile. */
function arm({ chunk, meanwhile, ending }: Step): void {
  world.requestDiesAfter = ending.kind === 'kill' ? ending.statements : undefined;
  let isMet = false;
  world.warehouse.gate = async (read) => {
    if (isMet || read !== chunk) return;
    isMet = true;
    for (const each of meanwhile) await play(each);
    end(ending);
  };
}

/** Works whatever there is; a run that may take workers down waits for the sweeper, and one that stepped back for a moment. */
async function drain(): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds++) {
    while (await world.work());
    world.clock.advance(1000);
  }
  const suspects = (await model.runsOf(world)).filter(({ losses, status }) => losses >= 2 && status === 'queued');
  if (suspects.length > 0) {
    await world.sweep();
    while (await world.work());
  }
  await model.expectQuiet(world);
}

/** All servers answer, and everything is active and as it was planned. */
async function mend(): Promise<void> {
  world.warehouse.gate = async () => undefined;
  world.requestDiesAfter = undefined;
  for (const id of CONNECTIONS) {
    await playServer('heal', id);
    await playServer('put connection', id);
  }
  const put = { state: 'active', delay: 0, lookback: 0, hasRowKey: false } as const;
  for (const each of PLANNED) {
    await actions.putModel(world, each.id);
    if (!(await actions.putPipeline(world, each, put))) {
      expect(await actions.putPipeline(world, each, { ...put, hasRowKey: true })).toBe(true);
    }
  }
}

/** Lets the hours pass until no run waits for its time. */
async function settle(): Promise<void> {
  for (let hour = 0; hour < 3; hour++) {
    await pass(60);
    await drain();
  }
}

async function finish(): Promise<void> {
  await drain();
  await mend();
  await settle();
  await model.expectSound(world, known);
  await model.expectUpToDate(world);
  await model.expectEachOnceMore(world, known, async () => {
    for (const { id } of PLANNED) expect(await actions.trigger(world, id), `trigger of ${id}`).toBe(true);
    await drain();
  });
  for (const { id } of PLANNED.filter(({ syncMode }) => syncMode.type === 'incremental')) {
    await model.expectOnce(world, known, id);
  }
  await model.expectRequestsOver(world);
  await model.expectNobodyErased(world, known);
}

test('every row comes once, every run ends, and nobody who was erased comes back', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
    known = model.newModel();
    await world.begin();
    for (const { id } of PLANNED) await addRows(id, { kind: 'rows', pipeline: 0, count: 8, minutes: -30, long: true });
    for (const each of steps) {
      await play(each.action);
      arm(each);
      await world.work();
      await model.expectSound(world, known);
    }
    // by now the first has a failed record at least, and the second a profile, which a result file holds, too
    await play({ kind: 'erase', pipeline: 1, row: 0 });
    for (const kind of ['access', 'erase'] as const) {
      await play({ kind, pipeline: 1, row: 1 });
      await drain();
    }
    await finish();
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true, seed: chooseSeed('pairs of features') });
}, 3_600_000);
