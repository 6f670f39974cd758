// Rows whose iterator is NULL are in no range, and each run warns how many there are. Counting them reads the whole model,
// whatever the range of the run is, so it is done once a day and not with every run.
import { hash } from 'node:crypto';
import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';
import { countNullIterators } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConnectedExecution } from './execution.ts';
import type { Model } from './model-source.ts';

const COUNTED_FOR_MS = 24 * 60 * 60 * 1000;

type NullCounting = Pick<ConnectedExecution, 'claimed' | 'session' | 'signal'>;

/** A count that was made; null: it did not come to its end in time. */
interface NullCount {
  readonly nulls: bigint | null;
  readonly countedOn: Date;
}

/**
 * Returns a warning of rows without an iterator value, from today's count, or from the last one of the same query, connection
 * and iterator. A count that takes too long fails its attempt; later attempts within a day do without.
 */
export async function nullWarnings(deps: RunsDeps, counting: NullCounting, model: Model): Promise<readonly Notice[]> {
  if (model.iterator === undefined) return [];
  const { name } = model.iterator.column;
  const nowMs = deps.clock.nowMs();
  const question = questionOf(counting.claimed, model.sql, name);
  const kept = await loadCount(deps, counting.claimed, question);
  if (kept !== undefined && Math.abs(nowMs - kept.countedOn.getTime()) < COUNTED_FOR_MS) return warningsOf(name, kept);
  const nulls = await countNulls(deps, counting, { model, name, question });
  return warningsOf(name, { nulls });
}

function questionOf({ snapshot }: ClaimedRun, sql: string, name: string): string {
  return hash('sha256', JSON.stringify([snapshot.connection.id, sql, name]), 'hex');
}

interface Counted {
  readonly model: Model;
  readonly name: string;
  readonly question: string;
}

async function countNulls(deps: RunsDeps, counting: NullCounting, { model, name, question }: Counted) {
  const { claimed, session, signal } = counting;
  const statement = countNullIterators(model.sql, model.dialect, name);
  const keep = (nulls: bigint | null) => keepCount(deps, claimed, { question, nulls });
  try {
    const { chunks } = await session.read({ statement, chunkRows: 1, chunkBytes: 1024 }, signal);
    let count: unknown = 0;
    for await (const [row] of chunks) count = row?.[0] ?? 0;
    const nulls = BigInt(String(count));
    await keep(nulls);
    return nulls;
  } catch (failure) {
    if (failure instanceof AppError && failure.code === 'WAREHOUSE_TIMEOUT') await keep(null);
    throw failure;
  }
}

function warningsOf(name: string, { nulls, countedOn }: Partial<NullCount> & Pick<NullCount, 'nulls'>): Notice[] {
  if (nulls === 0n) return [];
  if (nulls === null) {
    const message = `Rows without a "${name}" are never loaded. They were not counted today, because counting took too long.`;
    return [{ message }];
  }
  const when = countedOn === undefined ? '' : ` They were last counted on ${countedOn.toISOString()}.`;
  const message = `${nulls} rows have no "${name}" and are not loaded while it is NULL.${when}`;
  return [{ message }];
}

type Counter = Pick<ClaimedRun, 'workspaceId' | 'pipelineNumber'>;

/** Returns the last count of a pipeline, of its model as it was then. Returns undefined where none was made. */
export async function readNullCount(
  sql: Sql,
  { workspaceId, pipelineNumber }: Counter,
): Promise<NullCount | undefined> {
  const [row] = await sql.query<NullCount>(
    `SELECT nulls, counted_on AS "countedOn" FROM null_iterator_counts
     WHERE workspace_id = $1 AND pipeline_number = $2`,
    [workspaceId, pipelineNumber],
  );
  return row;
}

async function loadCount({ store }: RunsDeps, { workspaceId, pipelineNumber }: Counter, question: string) {
  const [row] = await store.query<NullCount>(
    `SELECT nulls, counted_on AS "countedOn" FROM null_iterator_counts
     WHERE workspace_id = $1 AND pipeline_number = $2 AND question = $3`,
    [workspaceId, pipelineNumber, question],
  );
  return row;
}

async function keepCount(
  { store, clock }: RunsDeps,
  { workspaceId, pipelineNumber }: Counter,
  { question, nulls }: { readonly question: string; readonly nulls: bigint | null },
): Promise<void> {
  await store.execute(
    `INSERT INTO null_iterator_counts (workspace_id, pipeline_number, question, nulls, counted_on)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (workspace_id, pipeline_number)
     DO UPDATE SET question = excluded.question, nulls = excluded.nulls, counted_on = excluded.counted_on`,
    [workspaceId, pipelineNumber, question, nulls, new Date(clock.nowMs())],
  );
}
