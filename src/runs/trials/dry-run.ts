import type { Static } from 'typebox';
import { readSettings, type WorkspaceSettings } from '../../access/index.ts';
import type { Caller } from '../../http/index.ts';
import { AppError, microsOfMs, parseJson } from '../../kernel/index.ts';
import type { RefusedRow } from '../../mapping/index.ts';
import { createMapping, mapRows, rowText } from '../../mapping/index.ts';
import { askWarehouse, loadPipeline, revealConnection } from '../../pipelines/index.ts';
import { type Column, countRows, type Dialect, type Session, wrapModel } from '../../warehouse/index.ts';
import type { DryRunAnswer } from '../contract/trial.ts';
import type { TrialDeps } from '../endpoint-deps.ts';
import { type RunSnapshot, snapshotFromText, snapshotText } from '../lifecycle/run-snapshot.ts';
import { type FixedRange, rangeInput } from '../read/fix-range.ts';
import { acceptedSql, iteratorOf, type Model, rowsToRead } from '../read/model-source.ts';
import { connectorOf } from '../read/open-session.ts';
import { planRange } from '../read/plan-range.ts';
import { estimateCost } from './estimate-cost.ts';
import { firstRows } from './preview-model.ts';

const MAPPED_ROWS = 100;

type DryRun = Static<typeof DryRunAnswer>;

export interface DryRunRequest {
  readonly pipelineId: string;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Reads and maps what a run triggered now would read, whatever state the pipeline is in. Keeps nothing.
 * Throws NOT_FOUND, SQL_REFUSED, MODEL_INVALID and the warehouse's errors, with WAREHOUSE_TIMEOUT when it is too slow.
 */
export async function dryRun(
  deps: TrialDeps,
  { workspaceId }: Caller,
  { pipelineId, signal: caller }: DryRunRequest,
): Promise<DryRun> {
  const context = await loadPipeline(deps.store, { workspaceId, id: pipelineId });
  const pipelineNumber = context.pipeline.number;
  const settings = await readSettings(deps.store, workspaceId, deps.ceilings);
  const snapshot = snapshotFromText(snapshotText(context, settings));
  const { dialect } = connectorOf(deps, context.connection);
  const sql = await acceptedSql(snapshot.dataModel.sqlQuery, dialect);
  return await askWarehouse(
    deps,
    { ...revealConnection(deps, context.connection), signal: caller },
    (session, signal) =>
      tryModel(deps, { snapshot, settings, workspaceId, pipelineNumber, sql, dialect, session, signal }),
  );
}

interface Trial {
  readonly snapshot: RunSnapshot;
  readonly settings: WorkspaceSettings;
  readonly workspaceId: Caller['workspaceId'];
  readonly pipelineNumber: bigint;
  readonly sql: string;
  readonly dialect: Dialect;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/** Runs the steps of a run (D-095) up to the delivery, over its first rows. */
async function tryModel(deps: TrialDeps, trial: Trial): Promise<DryRun> {
  const { snapshot, settings, workspaceId, pipelineNumber, sql, dialect, session, signal } = trial;
  const wanted = { sql, parameters: {}, iterator: snapshot.pipeline.syncMode.iterator?.field };
  const columns = await session.describe(wanted, signal);
  const iterator = iteratorOf(snapshot, columns);
  const mapping = createMapping(deps, {
    columns,
    iterator,
    settings,
    workspaceId,
    pipelineNumber,
    runStart: microsOfMs(deps.clock.nowMs()),
    pipeline: snapshot.pipeline,
    transformation: snapshot.transformation,
  });
  const range = await rangeOfTrial(trial, iterator);
  if (range.kind === 'empty') return NOTHING_TO_READ;
  const rows = rowsToRead({ sql, dialect, iterator }, range);
  const { estimate, warnings } = await estimateCost(session, wrapModel(rows), signal);
  const rowCount = await countOf(trial, rows);
  const first = await firstRows(session, {
    statement: wrapModel({ ...rows, limit: MAPPED_ROWS }),
    described: columns,
    limit: MAPPED_ROWS,
    signal,
  });
  const { refused } = await mapRows(mapping, first.rows);
  return {
    row_count: rowCount,
    cost_estimate: estimate,
    warnings: [...warnings, ...first.warnings],
    batches: mapping.batchTexts(first.rows).map((text) => parseJson(text) as Record<string, unknown>),
    failed_records: shownRecords(columns, refused),
  };
}

const NOTHING_TO_READ: DryRun = { row_count: 0, cost_estimate: null, batches: [], failed_records: [], warnings: [] };

/** Returns the range as a trigger would fix it. A trigger would wait for an `until` that is about to come; this does not. */
async function rangeOfTrial({ snapshot, session, signal }: Trial, iterator: Model['iterator']): Promise<FixedRange> {
  if (iterator === undefined) return { kind: 'whole' };
  const input = rangeInput(snapshot, iterator.axis, { nominalEnd: null });
  const warehouseNow = await session.clock(signal);
  const plan = planRange({ ...input, warehouseNow });
  if (plan.kind !== 'wait') return plan;
  const { until: _until, ...open } = input;
  const ahead = planRange({ ...open, until: undefined, warehouseNow });
  if (ahead.kind === 'wait') throw new AppError('INTERNAL', 'A range without a wanted end waits for no clock.');
  return ahead;
}

async function countOf({ session, signal }: Trial, rows: Parameters<typeof countRows>[0]): Promise<number> {
  const {
    rows: [row],
  } = await firstRows(session, { statement: countRows(rows), limit: 1, signal });
  return Number(row?.[0] ?? 0);
}

function shownRecords(columns: readonly Column[], refused: readonly RefusedRow[]): DryRun['failed_records'] {
  return refused.map(({ row, refusal: { field, value, rule, reason } }) => {
    const shown = parseJson(rowText(columns, row)) as Record<string, unknown>;
    return { row: shown, field, value, rule, reason };
  });
}
