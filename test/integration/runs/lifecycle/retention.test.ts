import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRetention, workspaceIds } from '../../../../src/access/index.ts';
import { workspaceId } from '../../../../src/kernel/index.ts';
import { type Pipeline, pipelineRuns, pipelines, type RunStatus } from '../../../../src/pipelines/index.ts';
import { expireRuns, failedRecords } from '../../../../src/runs/index.ts';
import { runChunks } from '../../../../src/runs/tables.ts';
import { openTestAccess, someWorkspace, type TestAccess } from '../../../support/apis/test-access.ts';
import { addPipeline } from '../../../support/runs/test-engine.ts';

const DAY_MS = 86_400_000;
const LIVING = new AbortController().signal;

let access: TestAccess;
let mine: Pipeline['workspaceId'];

beforeEach(async () => {
  access = await openTestAccess({ withoutSigningKey: true });
  mine = (await someWorkspace(access)).workspaceId;
});
afterEach(() => access[Symbol.asyncDispose]());

const daysAgo = (days: number) => new Date(access.clock.nowMs() - days * DAY_MS);

/** A run that ended so many days ago, or is live, with some failed records; its id. */
async function someRun(
  pipeline: Pipeline,
  {
    status = 'success',
    endedDaysAgo = 0,
    records = 0,
  }: { status?: RunStatus; endedDaysAgo?: number; records?: number },
): Promise<bigint> {
  const { workspaceId: workspace, number: pipelineNumber } = pipeline;
  const isLive = ['queued', 'running', 'retrying'].includes(status);
  const at = daysAgo(endedDaysAgo);
  const none = { extractedRecords: 0n, successfulRecords: 0n, deduplicatedRecords: 0n, erasedRecords: 0n };
  const [row] = await access.store.orm
    .insert(pipelineRuns)
    .values({
      ...{ ...none, workspaceId: workspace, pipelineNumber, connectionId: 'warehouse' },
      ...{ fence: 1, attempts: 1, errors: [], warnings: [], logicalDate: at, createdOn: at, startedOn: at },
      ...{ endedOn: isLive ? null : at, failedRecords: BigInt(records) },
      type: 'manual',
      status,
    })
    .returning({ id: pipelineRuns.id });
  const runId = row?.id ?? 0n;
  const failed = { workspaceId: workspace, runId, row: '{}', field: '', rule: 'identity_missing', reason: '' };
  for (let id = 1n; id <= records; id++)
    await access.store.orm.insert(failedRecords).values({ ...failed, id, failedOn: at });
  return runId;
}

async function expire(signal: AbortSignal = LIVING) {
  const gone = { failedRecords: 0, runs: 0, pipelines: 0 };
  for (const id of await workspaceIds(access.store)) {
    const expired = await expireRuns(access.store, await readRetention(access, id), signal);
    for (const kind of ['failedRecords', 'runs', 'pipelines'] as const) gone[kind] += expired[kind];
  }
  return gone;
}

async function keep(retention: Record<string, number>): Promise<void> {
  await access.store.execute('INSERT INTO workspace_settings (workspace_id, settings, version) VALUES ($1, $2, 1)', [
    mine,
    JSON.stringify({ retention }),
  ]);
}

const column = async (text: string) => (await access.store.query<{ id: bigint }>(text)).map(({ id }) => id);
const keptRuns = () => column('SELECT id FROM pipeline_runs ORDER BY id');
const runsWithRecords = () => column('SELECT DISTINCT run_id AS id FROM failed_records ORDER BY id');
const keptPipelines = () => column('SELECT number AS id FROM pipelines ORDER BY number');

describe('retention', () => {
  test('keeps failed records for 90 days and runs for 12 months', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const old = await someRun(pipeline, { endedDaysAgo: 366, records: 2 });
    const middling = await someRun(pipeline, { status: 'failed', endedDaysAgo: 91, records: 3 });
    const young = await someRun(pipeline, { status: 'stopped', endedDaysAgo: 89, records: 1 });
    expect(await expire()).toEqual({ failedRecords: 5, runs: 1, pipelines: 0 });
    expect(await keptRuns()).toEqual([middling, young]);
    expect(await runsWithRecords()).toEqual([young]);
    expect(await keptRuns()).not.toContain(old);
    expect(await expire()).toEqual({ failedRecords: 0, runs: 0, pipelines: 0 });
  });

  test('spares the latest successful run of a living pipeline, and runs that are not over', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    await someRun(pipeline, { endedDaysAgo: 500 });
    const latest = await someRun(pipeline, { endedDaysAgo: 400, records: 1 });
    await someRun(pipeline, { status: 'failed', endedDaysAgo: 399 });
    const live = await someRun(pipeline, { status: 'retrying', endedDaysAgo: 398, records: 1 });
    await access.store.orm.update(pipelines).set({ latestSuccessfulRunId: latest });
    expect(await expire()).toEqual({ failedRecords: 1, runs: 2, pipelines: 0 });
    expect(await keptRuns()).toEqual([latest, live]);
    expect(await runsWithRecords()).toEqual([live]);
  });

  test('lets a hidden pipeline go once its last run has gone', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const run = await someRun(pipeline, { endedDaysAgo: 360, records: 1 });
    const hidden = { latestSuccessfulRunId: run, deletedOn: daysAgo(300), connectionId: null, dataModelId: null };
    await access.store.orm.update(pipelines).set(hidden);
    expect(await expire()).toEqual({ failedRecords: 1, runs: 0, pipelines: 0 });
    access.clock.advance(10 * DAY_MS);
    expect(await expire()).toEqual({ failedRecords: 0, runs: 1, pipelines: 1 });
    expect(await keptPipelines()).toEqual([]);
  });

  test('keeps a run while a later one has to know what it delivered: until a reset, or the end of the pipeline', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const runs = [await someRun(pipeline, { endedDaysAgo: 500 }), await someRun(pipeline, { endedDaysAgo: 400 })];
    for (const [generation, runId] of runs.entries()) {
      const chunk = { workspaceId: mine, pipelineNumber: pipeline.number, generation, runId, afterRows: 0n };
      await access.store.orm
        .insert(runChunks)
        .values({ ...chunk, delivered: Buffer.alloc(16), deduplicated: Buffer.alloc(0) });
    }
    expect(await expire()).toEqual({ failedRecords: 0, runs: 0, pipelines: 0 });
    await access.store.orm.update(pipelines).set({ generation: 1 });
    await expire();
    expect(await keptRuns()).toEqual(runs.slice(1));
    await access.store.orm.update(pipelines).set({ deletedOn: daysAgo(1), connectionId: null, dataModelId: null });
    expect(await expire()).toEqual({ failedRecords: 0, runs: 1, pipelines: 1 });
  });

  test('keeps a pipeline that was never run as long as it is not deleted', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    expect(await expire()).toEqual({ failedRecords: 0, runs: 0, pipelines: 0 });
    expect(await keptPipelines()).toEqual([pipeline.number]);
  });

  test('follows the settings of each workspace, and drops the records of a run with it', async () => {
    await keep({ runs_months: 1, failed_records_days: 365 });
    const theirs = workspaceId((await someWorkspace(access)).workspaceId);
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const other = await addPipeline(access.store, { workspace: theirs });
    await someRun(pipeline, { endedDaysAgo: 40, records: 2 });
    const kept = await someRun(pipeline, { status: 'failed', endedDaysAgo: 20, records: 1 });
    const foreign = await someRun(other, { endedDaysAgo: 40, records: 1 });
    expect(await expire()).toEqual({ failedRecords: 2, runs: 1, pipelines: 0 });
    expect(await keptRuns()).toEqual([kept, foreign]);
    expect(await runsWithRecords()).toEqual([kept, foreign]);
  });

  test('deletes more than one statement does', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const run = await someRun(pipeline, { endedDaysAgo: 100 });
    await access.store.execute(
      `INSERT INTO failed_records (workspace_id, run_id, id, row, field, rule, reason, failed_on)
       SELECT $1, $2, n, '{}', '', 'identity_missing', '', $3 FROM generate_series(1, 12000) AS n`,
      [mine, run, daysAgo(100)],
    );
    expect(await expire()).toEqual({ failedRecords: 12_000, runs: 0, pipelines: 0 });
  });

  test('deletes nothing once it is told to stop', async () => {
    const pipeline = await addPipeline(access.store, { workspace: mine });
    const run = await someRun(pipeline, { endedDaysAgo: 500 });
    expect(await expire(AbortSignal.abort())).toEqual({ failedRecords: 0, runs: 0, pipelines: 0 });
    expect(await keptRuns()).toEqual([run]);
  });
});
