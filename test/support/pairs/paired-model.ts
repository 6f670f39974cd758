// Rules of a paired world: after each action, when nothing is left to do, and at the end of a history.
import { expect } from 'vitest';
import { formatMicros, microsOfMs, parseJson } from '../../../src/kernel/index.ts';
import { loadPipeline, pipelineErrors, type Run } from '../../../src/pipelines/index.ts';
import { countsOf, readPipeline, readRuns } from '../runs/test-engine.ts';
import { dumpOf, holdsAny } from '../stores/dump-search.ts';
import { CONNECTIONS, type PairedWorld, PLANNED } from './paired-world.ts';

export interface SourceRow {
  readonly email: string;
  readonly at: string;
  /** Too long for the limit of attributes. */
  readonly isLong: boolean;
  /** It came when its range was over, or being read: it may be left out. */
  isLate: boolean;
  isErased: boolean;
  /** Deliveries before the newest reset. */
  before: number;
}

export interface Model {
  /** By pipeline. */
  readonly rows: Map<string, SourceRow[]>;
  /** Failed records of time lines that are over. */
  readonly formerRecords: Set<string>;
  /** Connections whose stored password is the right one: nothing may fault them. */
  readonly mended: Set<string>;
}

export const newModel = (): Model => ({
  rows: new Map(PLANNED.map(({ id }) => [id, []])),
  formerRecords: new Set(),
  mended: new Set(CONNECTIONS),
});

export const instantOf = (ms: number) => formatMicros(microsOfMs(ms));
export const cellsOf = ({ email, isLong, at }: SourceRow) => [email, isLong ? 'x'.repeat(5000) : 'City', at];

const LIVE: readonly Run['status'][] = ['queued', 'running', 'retrying'];

export async function runsOf({ store, caller }: PairedWorld): Promise<readonly Run[]> {
  return (await readRuns(store)).filter(({ workspaceId }) => workspaceId === caller.workspaceId);
}

/** After each action: counts balance, no connection has two runs, and what was mended is not faulted by an older run. */
export async function expectSound(world: PairedWorld, { mended }: Model): Promise<void> {
  const { store, caller } = world;
  const { workspaceId } = caller;
  const runs = await runsOf(world);
  for (const run of runs) {
    const [extracted, ...parts] = countsOf(run);
    expect(
      parts.reduce((sum, part) => sum + part, 0),
      `counts of run ${run.id}, ${run.status}`,
    ).toBe(extracted);
  }
  const running = await store.query<{ runs: bigint }>(
    `SELECT count(*) AS runs FROM pipeline_runs WHERE workspace_id = $1 AND status = 'running' GROUP BY connection_id`,
    [workspaceId],
  );
  for (const busy of running) expect(busy.runs).toBe(1n);
  const faulted = await store.query<{ id: string; fault: string }>(
    'SELECT id, fault FROM connections WHERE workspace_id = $1 AND fault IS NOT NULL',
    [workspaceId],
  );
  expect(
    faulted.filter(({ id }) => mended.has(id)),
    'faults of connections that are mended',
  ).toEqual([]);
}

/** No job is left, so nobody works: each run is over or waits for its time. */
export async function expectQuiet(world: PairedWorld): Promise<void> {
  const left = await world.store.query(
    `SELECT id, status, connection_id, losses, retry_at FROM pipeline_runs
     WHERE workspace_id = $1 AND status IN ('queued', 'running', 'retrying') AND retry_at IS NULL`,
    [world.caller.workspaceId],
  );
  expect(left, 'runs that nobody wakes').toEqual([]);
}

/** Failed records that wait for a retry, of the time lines that go on, by e-mail address. */
async function failedOf({ store, caller }: PairedWorld, { formerRecords }: Model) {
  const records = await store.query<{ key: string; row: string }>(
    `SELECT run_id || '/' || id AS key, "row" FROM failed_records WHERE workspace_id = $1 AND retried_on IS NULL`,
    [caller.workspaceId],
  );
  const failed = new Map<string, number>();
  for (const { key, row } of records) {
    const { email } = JSON.parse(row);
    if (!formerRecords.has(key)) failed.set(email, (failed.get(email) ?? 0) + 1);
  }
  return failed;
}

async function deliveriesOf({ store, caller }: PairedWorld): Promise<ReadonlyMap<string, number>> {
  const rows = await store.query<{ email: string; times: bigint }>(
    'SELECT email, count(*) AS times FROM arrivals WHERE scope = $1 GROUP BY email',
    [caller.workspaceId],
  );
  return new Map([
    ...rows.map(({ email, times }) => [email, Number(times)] as const),
    ...(await eventsOf(caller, store)),
  ]);
}

/** Events that are kept of each person. */
async function eventsOf(caller: PairedWorld['caller'], store: PairedWorld['store']) {
  const batches = await store.query<{ text: string }>('SELECT text FROM event_batches WHERE workspace_id = $1', [
    caller.workspaceId,
  ]);
  const events = new Map<string, number>();
  for (const { text } of batches) {
    const batch = parseJson(text) as unknown as { user_identities: { email: string }; events: readonly unknown[] };
    const { email } = batch.user_identities;
    events.set(email, (events.get(email) ?? 0) + batch.events.length);
  }
  return events;
}

/** The pipeline begins a new time line: all its rows are to come once more. */
export async function beginTimeLine(world: PairedWorld, model: Model, pipelineId: string): Promise<void> {
  const delivered = await deliveriesOf(world);
  for (const row of model.rows.get(pipelineId) ?? []) {
    row.before = delivered.get(row.email) ?? 0;
    row.isLate = false;
  }
  const records = await world.store.query<{ key: string }>(
    `SELECT record.run_id || '/' || record.id AS key FROM failed_records AS record
       JOIN pipeline_runs AS run ON run.workspace_id = record.workspace_id AND run.id = record.run_id
       JOIN pipelines AS pipeline ON pipeline.workspace_id = run.workspace_id AND pipeline.number = run.pipeline_number
     WHERE record.workspace_id = $1 AND pipeline.id = $2`,
    [world.caller.workspaceId, pipelineId],
  );
  for (const { key } of records) model.formerRecords.add(key);
}

/** Where ranges of the pipeline may have ended: what is older and comes now is late. */
export async function readUpTo(world: PairedWorld, pipelineId: string): Promise<string> {
  const pipeline = await readPipeline(world.store, { workspace: world.caller.workspaceId, id: pipelineId });
  const ofRuns = (await runsOf(world))
    .filter(({ pipelineNumber, status }) => pipelineNumber === pipeline.number && LIVE.includes(status))
    .map(({ rangeEnd }) => rangeEnd ?? '');
  const position = pipeline.position === null ? '' : formatMicros(pipeline.position);
  return [position, ...ofRuns].toSorted().at(-1) ?? '';
}

/** An incremental pipeline: what lies before its position came once, or is kept as failed; nothing came twice. */
export async function expectOnce(world: PairedWorld, model: Model, pipelineId: string): Promise<void> {
  const { position } = await readPipeline(world.store, { workspace: world.caller.workspaceId, id: pipelineId });
  const end = position === null ? '' : formatMicros(position);
  const [delivered, failed] = [await deliveriesOf(world), await failedOf(world, model)];
  for (const { email, at, before, isLate, isErased } of model.rows.get(pipelineId) ?? []) {
    const times = (delivered.get(email) ?? 0) - before + (failed.get(email) ?? 0);
    const about = `${email} at ${at}, position ${end}: ${delivered.get(email)} - ${before} + ${failed.get(email)}`;
    if (at < end && !isLate && !isErased) expect(times, about).toBe(1);
    else expect(times, about).toBeLessThanOrEqual(1);
  }
}

/** A full pipeline, whose run `act` makes: every row once more. */
export async function expectEachOnceMore(world: PairedWorld, model: Model, act: () => Promise<void>): Promise<void> {
  const arrivals = async () => {
    const [delivered, failed] = [await deliveriesOf(world), await failedOf(world, model)];
    return (model.rows.get('once') ?? []).map(({ email }) => (delivered.get(email) ?? 0) + (failed.get(email) ?? 0));
  };
  const before = await arrivals();
  await act();
  const after = await arrivals();
  for (const [index, { email, isErased }] of (model.rows.get('once') ?? []).entries()) {
    expect((after[index] ?? 0) - (before[index] ?? 0), email).toBe(isErased ? 0 : 1);
  }
}

/** Active and without a fault, so every interval that is over was loaded, and a `once` pipeline began its run. */
export async function expectUpToDate(world: PairedWorld): Promise<void> {
  const { store, clock, caller } = world;
  const runs = await runsOf(world);
  for (const { id, schedule } of PLANNED) {
    const context = await loadPipeline(store, { workspaceId: caller.workspaceId, id });
    expect(pipelineErrors(context), id).toEqual([]);
    const { position, number } = context.pipeline;
    if (schedule.type === 'interval') {
      const hour = instantOf(Math.floor(clock.nowMs() / 3_600_000) * 3_600_000);
      expect(position === null ? '' : formatMicros(position) >= hour, `${id} is loaded up to ${hour}`).toBe(true);
    }
    if (schedule.type === 'once') {
      const own = runs.filter(({ pipelineNumber }) => pipelineNumber === number);
      const unbegun = own.filter(({ errors }) => JSON.stringify(errors).includes('before the run began'));
      expect(own.length, 'runs of the once pipeline that began').toBeGreaterThan(unbegun.length);
    }
  }
}

/** Every data subject request was completed, however often its worker died. */
export async function expectRequestsOver({ store, caller }: PairedWorld): Promise<void> {
  const open = await store.query(
    "SELECT id, type, status, last_error, attempts, next_attempt_on FROM dsr_requests WHERE workspace_id = $1 AND status <> 'completed'",
    [caller.workspaceId],
  );
  expect(open, 'data subject requests that are not over').toEqual([]);
}

/** Nothing that is kept names anybody who was erased; `arrivals` is the test's own. */
export async function expectNobodyErased({ store }: PairedWorld, { rows }: Model): Promise<void> {
  const erased = [...rows.values()].flat().filter(({ isErased }) => isErased);
  if (erased.length === 0) return;
  const emails = erased.map(({ email }) => email);
  const places = new Set<string>();
  for await (const { place, text } of dumpOf(store)) {
    if (place !== 'public.arrivals' && holdsAny(text, emails)) places.add(place);
  }
  expect([...places]).toEqual([]);
}
