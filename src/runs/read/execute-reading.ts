import type { Column } from '../../warehouse/index.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { WriteBackPlan } from '../write-back/read-write-back-model.ts';
import { deliverRows, futureRowWarnings } from './deliver-all.ts';
import type { ConnectedExecution } from './execution.ts';
import { openSource, type RunSource } from './open-source.ts';
import { requireMappedRows } from './require-mapped-rows.ts';

/**
 * Executes a run that reads: fixes the range, opens the ledger, reads, drops delivered rows, maps and delivers (D-095). Throws
 * the refusal of the plan where the model projects MPID: its feed would make it a write-back, and it breaks a rule.
 */
export async function executeReading(
  deps: RunsDeps,
  execution: ConnectedExecution,
  plan: Exclude<WriteBackPlan, { readonly kind: 'yes' }>,
): Promise<RunResult> {
  const { claimed } = execution;
  const source = await openSource(deps, execution);
  const { columns, range } = source;
  if (plan.kind === 'if MPID' && columns.some(isMpid)) throw plan.refusal;
  if (range.kind === 'empty') {
    return { position: undefined, warnings: [...source.warnings, ...futureRowWarnings(claimed, claimed.counts)] };
  }
  const ledger = await openLedger(deps, { claimed, ...source });
  const { counts: progress } = claimed;
  const counts = await deliverRows(deps, execution, { source, ledger, progress, inspect: requireMappedRows });
  return {
    position: positionAfter(claimed, source),
    warnings: [...source.warnings, ...ledger.warnings, ...futureRowWarnings(claimed, counts)],
  };
}

const isMpid = ({ name }: Column) => name.toLowerCase() === 'mpid';

/** Returns the new position: the end of the range. Returns undefined for a full pipeline, which has none. */
function positionAfter({ snapshot }: ClaimedRun, { range }: RunSource): RunResult['position'] {
  return snapshot.pipeline.syncMode.type === 'incremental' && range.kind === 'range' ? range.range.end : undefined;
}
