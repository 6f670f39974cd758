import type { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { Connector, Session } from '../../warehouse/index.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { at } from '../lifecycle/fault-subject.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import { countsOfRun } from '../lifecycle/held-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { executeWriteBack } from '../write-back/execute-write-back.ts';
import { clearFormerTables } from '../write-back/former-tables.ts';
import { readWriteBackModel, type WriteBackPlan } from '../write-back/read-write-back-model.ts';
import { type ChunkFlow, deliverAll } from './deliver-all.ts';
import { connectorOf, openSession } from './open-session.ts';
import { openSource, type RunSource } from './open-source.ts';
import { readChunks } from './read-chunks.ts';
import { requireMappedRows } from './require-mapped-rows.ts';
import { warnOfRowsAhead } from './rows-ahead.ts';
import { snapshotKeyOf } from './snapshot-key.ts';

export interface Execution {
  readonly claimed: ClaimedRun;
  readonly signal: AbortSignal;
}

/** An execution that reads or writes the warehouse of its connection. */
export interface ConnectedExecution extends Execution {
  readonly connector: Connector;
}

/** Executes a run: opens the connection, plans the range, reads, drops delivered rows, maps and delivers (D-095). */
export async function executeRun(deps: RunsDeps, started: Execution): Promise<RunResult> {
  const { connection } = started.claimed.snapshot;
  const execution: ConnectedExecution = { ...started, connector: connectorOf(deps, connection) };
  const plan = await at('data model', () => readWriteBackModel(deps, execution));
  const former = await clearFormerTables(deps, execution, plan.kind === 'yes' ? plan.model.table.join('.') : undefined);
  const result =
    plan.kind === 'yes'
      ? await executeWriteBack(deps, execution, plan.model)
      : await executeReading(deps, execution, plan);
  return { ...result, ...former, warnings: [...result.warnings, ...former.warnings] };
}

async function executeReading(
  deps: RunsDeps,
  execution: ConnectedExecution,
  plan: Exclude<WriteBackPlan, { readonly kind: 'yes' }>,
): Promise<RunResult> {
  const { claimed } = execution;
  const sinceMs = deps.clock.nowMs();
  await using session = await openSession(deps, claimed, execution);
  const source = await openSource(deps, { ...execution, session });
  if (plan.kind === 'if MPID') requireNoMpid(plan.refusal, source);
  const reading = { ...execution, source, session, sinceMs };
  const recognised = source.range.kind === 'empty' ? [] : await deliverRows(deps, reading);
  const warnings = [...source.warnings, ...recognised, ...(await warnOfRowsAhead(deps, claimed))];
  return { position: positionAfter(claimed, source), warnings };
}

type Reading = Execution & { readonly source: RunSource; readonly session: Session; readonly sinceMs: number };

/** Delivers the rows. Returns the warnings about rows that it recognised. */
async function deliverRows(deps: RunsDeps, reading: Reading): Promise<readonly Notice[]> {
  const { claimed, source, session, signal, sinceMs } = reading;
  const { mapping, columns } = source;
  // row_key, or the ledger, may name a column that the model lacks
  const ledger = await at('pipeline', () => openLedger(deps, { claimed, ...source }));
  const { chunkRows } = deps.settings;
  const label = { pipeline: claimed.snapshot.pipeline.id, run: String(claimed.runId) };
  const snapshotKey = snapshotKeyOf(deps, claimed, columns);
  const flow: ChunkFlow = {
    signal,
    sinceMs,
    read: (stop) => readChunks({ session, ledger, chunkRows, label, snapshotKey }, source, stop),
    delivery: { claimed, mapping, ledger, columns: { id: claimed.fence, columns }, progress: countsOfRun(claimed.run) },
    inspect: requireMappedRows,
  };
  await at('data model', () => deliverAll(deps, flow));
  return ledger.warnings;
}

/**
 * Throws the refusal where the model projects MPID: then its feed makes the pipeline a write-back pipeline, and the model
 * breaks a rule.
 */
function requireNoMpid(refusal: AppError, { columns }: RunSource): void {
  if (!columns.some(({ name }) => name.toLowerCase() === 'mpid')) return;
  throw refusal;
}

/** Returns the new position. Returns undefined for a full pipeline, which has none, and for an empty range, which leaves it. */
function positionAfter({ snapshot }: ClaimedRun, { range }: RunSource): RunResult['position'] {
  return snapshot.pipeline.syncMode.type === 'incremental' && range.kind === 'range' ? range.range.end : undefined;
}
