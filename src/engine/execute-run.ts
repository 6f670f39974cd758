import { AppError } from '../kernel/index.ts';
import type { Session } from '../warehouse/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import { type Counts, countsOfRun } from './count-rows.ts';
import { deliverAll } from './deliver-all.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { RunResult } from './finish-run.ts';
import { openLedger } from './ledger/open-ledger.ts';
import { openSession } from './open-session.ts';
import { openSource, type RunSource } from './open-source.ts';
import { type MappedChunk, readChunks } from './read-chunks.ts';
import type { Blame } from './settle-failure.ts';

/** Rulings §7: so many rows read and none mapped fails the run. */
const HOPELESS_ROWS = 1000;

export interface Execution {
  readonly claimed: ClaimedRun;
  readonly signal: AbortSignal;
  /** Told what would be to blame for the next failure. */
  readonly blame: (blame: Blame) => void;
}

/** Open, plan, read, leave out what was delivered before, map, deliver (house plan §3). */
export async function executeRun(deps: EngineDeps, execution: Execution): Promise<RunResult> {
  const { claimed, signal, blame } = execution;
  const sinceMs = deps.clock.nowMs();
  blame('connection');
  await using session = await openSession(deps, claimed, signal);
  const source = await openSource(deps, { ...execution, session });
  if (source.range.kind !== 'empty') {
    await deliverRows(deps, { ...execution, source, session, sinceMs });
  }
  return { position: positionAfter(claimed, source), warnings: source.warnings };
}

type Reading = Execution & { readonly source: RunSource; readonly session: Session; readonly sinceMs: number };

async function deliverRows(deps: EngineDeps, { claimed, source, session, signal, sinceMs, blame }: Reading) {
  const { mapping, columns } = source;
  // a row_key that the model does not have
  blame('pipeline');
  const ledger = await openLedger(deps, { claimed, ...source });
  blame('data model');
  const { chunkRows } = deps.settings;
  const label = { pipeline: claimed.snapshot.pipeline.id, run: String(claimed.runId) };
  await deliverAll(deps, {
    ...{ signal, sinceMs },
    read: (reading) => readChunks({ session, ledger, chunkRows, label }, source, reading),
    delivery: { claimed, mapping, ledger, columns: { id: claimed.fence, columns }, progress: countsOfRun(claimed.run) },
    inspect(progress, chunk) {
      if (!isHopeless(progress)) return;
      blame('pipeline');
      throw hopeless(progress, chunk);
    },
  });
}

/** Rows that were left out had been mapped by an earlier run. */
function isHopeless({ failed, successful, deduplicated }: Counts): boolean {
  return failed >= HOPELESS_ROWS && successful === 0 && deduplicated === 0;
}

function hopeless({ failed }: Counts, { mapped }: MappedChunk): AppError {
  const [first] = mapped.refused;
  const where = first === undefined || first.refusal.field === '' ? '' : `column "${first.refusal.field}": `;
  const example = first === undefined ? 'The failed records say why.' : `For example: ${where}${first.refusal.reason}`;
  const message = `Of the first ${failed} rows not one could be mapped. ${example} Mend the model and trigger again.`;
  return new AppError('NO_ROW_MAPPED', message);
}

/** A full pipeline has no position, and an empty range leaves it. */
function positionAfter({ snapshot }: ClaimedRun, { range }: RunSource): RunResult['position'] {
  return snapshot.pipeline.syncMode.type === 'incremental' && range.kind === 'range' ? range.range.end : undefined;
}
