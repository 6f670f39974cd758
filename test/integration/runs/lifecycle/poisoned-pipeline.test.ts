// One pipeline, workspace or request that cannot be worked on takes nothing from the others.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expireAll } from '../../../../src/app/expire-all.ts';
import { enqueueDueRequests } from '../../../../src/dsr/work/enqueue-due-requests.ts';
import { requestWeeklyRuns } from '../../../../src/groups/index.ts';
import type { Jobs } from '../../../../src/jobs/index.ts';
import { AppError, createLog, workspaceId } from '../../../../src/kernel/index.ts';
import { createScheduler } from '../../../../src/runs/lifecycle/schedule-runs.ts';
import { wakeDeferredRuns } from '../../../../src/runs/lifecycle/sweep-runs.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertRequest } from '../../../support/apis/dsr-requests.ts';
import { type HandClock, handClock } from '../../../support/clocks/hand-clock.ts';
import { addPipeline, readPipeline } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const [POISONED, SOUND] = [workspaceId(1n), workspaceId(2n)];
const MANY = 1_000;
const jobs = { enqueue: async () => undefined } as unknown as Jobs;

let store: Store;
let clock: HandClock;
let lines: Record<string, unknown>[];
const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });

beforeEach(async () => {
  store = await openTestStore();
  clock = handClock();
  lines = [];
});
afterEach(() => store[Symbol.asyncDispose]());

/** An interval whose first run opens before the year 1, as an earlier Penstock accepted it. */
const addPoisoned = () =>
  addPipeline(store, {
    workspace: POISONED,
    syncMode: { type: 'full', from: '0001-01-01T00:00:00Z' },
    schedule: { type: 'interval', frequency: 'monthly', start: '0001-01-15T00:00:00Z' },
    nextDueAtMs: clock.nowMs() - 1,
  });

const schedulerOf = () => createScheduler({ store, jobs, log, random: () => 1 });

async function scheduled(): Promise<number> {
  const [row] = await store.query<{ runs: bigint }>('SELECT count(*) AS runs FROM pipeline_runs');
  return Number(row?.runs);
}

test('a pipeline that cannot be scheduled leaves a thousand others scheduled', async () => {
  await addPoisoned();
  await addPipeline(store, { workspace: SOUND, schedule: { type: 'once' }, nextDueAtMs: clock.nowMs() });
  await store.execute(
    `INSERT INTO pipelines (workspace_id, id, name, pipeline_type, connection_id, data_model_id, state, environment, sync_mode,
       schedule, kept, warnings, next_due_at, generation, failed_in_a_row, created_on, created_by)
     SELECT workspace_id, id || n, name, pipeline_type, connection_id, data_model_id, state, environment, sync_mode,
       schedule, kept, warnings, next_due_at, generation, failed_in_a_row, created_on, created_by
     FROM pipelines, generate_series(2, ${MANY}) AS n WHERE workspace_id = $1`,
    [SOUND],
  );
  const schedule = schedulerOf();
  await schedule(clock.nowMs());
  expect(await scheduled()).toBe(199);
  while ((await scheduled()) < MANY) await schedule(clock.nowMs());
  expect(lines).toMatchObject([{ msg: 'scheduler.pipeline_failed', workspace: '1', level: 50 }]);
  expect((await readPipeline(store, { workspace: POISONED })).nextDueAtMs).toBe(clock.nowMs() + 60_000);
});

test('a pipeline that cannot be scheduled five times in a row is faulted and says why', async () => {
  await addPoisoned();
  const schedule = schedulerOf();
  for (let attempt = 1; attempt <= 5; attempt++) {
    expect((await readPipeline(store)).fault).toBeNull();
    await schedule(clock.nowMs());
    clock.advance(3_600_000);
  }
  const { fault, nextDueAtMs } = await readPipeline(store);
  expect(nextDueAtMs).toBeNull();
  expect(fault).toEqual([{ message: expect.stringContaining('could not be scheduled 5 times in a row') }]);
});

test('a pipeline that loses against other transactions is put off, and never faulted for it', async () => {
  await addPipeline(store, { schedule: { type: 'once' }, nextDueAtMs: clock.nowMs() });
  const lost = new AppError('STORE_CONFLICT', 'Two transactions conflicted and this one was rolled back.');
  const busy = { enqueue: () => Promise.reject(lost) } as unknown as Jobs;
  const schedule = createScheduler({ store, jobs: busy, log, random: () => 1 });
  for (let attempt = 1; attempt <= 6; attempt++) {
    await schedule(clock.nowMs());
    const { fault, nextDueAtMs } = await readPipeline(store);
    expect([fault, nextDueAtMs]).toEqual([null, clock.nowMs() + 60_000]);
    clock.advance(60_000);
  }
  expect(lines).toMatchObject(Array(6).fill({ msg: 'scheduler.pipeline_failed', level: 40 }));
  await schedulerOf()(clock.nowMs());
  expect(await scheduled()).toBe(1);
});

/** Lets the store refuse every write of the first workspace to this table. */
async function refuseWrites(table: string): Promise<void> {
  await store.query(
    `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
  );
  for (const [verb, row] of [
    ['INSERT', 'NEW'],
    ['UPDATE', 'NEW'],
    ['DELETE', 'OLD'],
  ]) {
    await store.query(
      `CREATE TRIGGER refuse_${verb} BEFORE ${verb} ON ${table} FOR EACH ROW WHEN (${row}.workspace_id = 1)
       EXECUTE FUNCTION refuse()`,
    );
  }
}

/** A new pipeline with a run that is tried again after so long. */
async function addRetrying(workspace: typeof SOUND, { afterMs }: { readonly afterMs: number }): Promise<void> {
  const { number } = await addPipeline(store, { workspace, id: `in ${afterMs}` });
  await store.execute(
    `INSERT INTO pipeline_runs (workspace_id, pipeline_number, connection_id, type, status, fence, attempts, errors, warnings,
       logical_date, created_on, retry_at, extracted_records, successful_records, failed_records, deduplicated_records,
       erased_records)
     VALUES ($1, $2, 'warehouse', 'manual', 'retrying', 1, 1, '[]', '[]', $3, $3, $4, 0, 0, 0, 0, 0)`,
    [workspace, number, new Date(clock.nowMs()), new Date(clock.nowMs() + afterMs)],
  );
}

test('a deferred run that a clock ahead has put off is woken; the longest that a right clock puts off waits', async () => {
  const [longestMs, monthMs] = [2 * 3_600_000, 30 * 86_400_000];
  for (const afterMs of [longestMs, monthMs]) await addRetrying(SOUND, { afterMs });
  await wakeDeferredRuns(store, jobs, clock.nowMs());
  const waiting = await store.query('SELECT retry_at FROM pipeline_runs WHERE retry_at IS NOT NULL');
  expect(waiting).toEqual([{ retry_at: new Date(clock.nowMs() + longestMs) }]);
});

test('a deferred run that cannot be woken leaves the others to be woken', async () => {
  for (const workspace of [POISONED, SOUND]) await addRetrying(workspace, { afterMs: 0 });
  await refuseWrites('pipeline_runs');
  await expect(wakeDeferredRuns(store, jobs, clock.nowMs())).rejects.toThrow('refused');
  expect(await store.query('SELECT workspace_id FROM pipeline_runs WHERE retry_at IS NULL')).toEqual([
    { workspace_id: SOUND },
  ]);
});

test('a workspace whose groups cannot be asked for leaves the others with their run', async () => {
  for (const id of [POISONED, SOUND]) {
    await addWorkspace(store, id);
    await store.execute(
      `INSERT INTO group_definitions (workspace_id, id, description, source_user_attribute, attributes,
         revision, created_on, created_by, last_modified_on, last_modified_by)
       VALUES ($1, 'acme', '', 'company', '[]', 1, $2, 'test', $2, 'test')`,
      [id, new Date(0)],
    );
  }
  await refuseWrites('group_runs');
  const ask = requestWeeklyRuns({ store, clock, jobs }, new Date('2026-01-19T00:00:00Z'));
  await expect(ask).rejects.toThrow('refused');
  expect(await store.query('SELECT workspace_id FROM group_runs')).toEqual([{ workspace_id: SOUND }]);
});

test('a data subject request that cannot be woken leaves the others to begin', async () => {
  const due = { status: 'pending', type: 'erasure', startsOn: new Date(0), nextAttemptOn: new Date(0) } as const;
  await insertRequest(store, { ...due, workspaceId: POISONED });
  await insertRequest(store, { ...due, workspaceId: SOUND, nextAttemptOn: new Date(1) });
  await refuseWrites('dsr_requests');
  const { signal } = new AbortController();
  const woken = enqueueDueRequests(store, jobs, { nowMs: clock.nowMs(), signal, starts: ['erasure'] });
  await expect(woken).rejects.toThrow('refused');
  const moved = 'SELECT workspace_id FROM dsr_requests WHERE next_attempt_on > $1';
  expect(await store.query(moved, [new Date(1)])).toEqual([{ workspace_id: SOUND }]);
});

test('a workspace that cannot expire, and one whose settings cannot be read, keep no other from expiring', async () => {
  const unreadable = workspaceId(3n);
  for (const id of [POISONED, unreadable, SOUND]) {
    await addWorkspace(store, id);
    await store.execute(
      `INSERT INTO audit_log (workspace_id, occurred_on, actor, action, resource, detail)
       VALUES ($1, $2, 'a', 'a', 'r', '{}')`,
      [id, new Date(0)],
    );
    await store.execute(
      `INSERT INTO rejected_batches (workspace_id, id, received_on, key, path, errors, text)
       VALUES ($1, 1, $2, 'k', '/v2/bulkevents', '[]', '{}')`,
      [id, new Date(0)],
    );
  }
  await refuseWrites('rejected_batches');
  await store.execute(`INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, 'no JSON', 1)`, [
    unreadable,
  ]);
  await expireAll({ store, clock, log }, new AbortController().signal);
  const kept = (table: string) =>
    store.query<{ id: bigint }>(`SELECT workspace_id AS id FROM ${table} ORDER BY workspace_id`);
  expect(await kept('audit_log')).toEqual([{ id: unreadable }]);
  expect(await kept('rejected_batches')).toEqual([{ id: POISONED }, { id: unreadable }]);
  const failed = lines.filter(({ msg }) => msg === 'retention.failed').map(({ workspace }) => workspace);
  expect(failed).toEqual(['3', '1']);
});
