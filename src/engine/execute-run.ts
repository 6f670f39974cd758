import { AppError } from '../kernel/index.ts';
import type { Session } from '../warehouse/index.ts';
import type { ClaimedRun } from './claim-run.ts';
import { type Delivery, deliverChunk, NOTHING_YET, type Progress } from './deliver-chunk.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { RunResult } from './finish-run.ts';
import { openSession } from './open-session.ts';
import { openSource, type RunSource } from './open-source.ts';
import { type MappedChunk, readChunks } from './read-chunks.ts';
import type { Blame } from './settle-failure.ts';

/** Rulings §7: so many rows read and none mapped fails the run. */
const HOPELESS_ROWS = 1000;

interface Execution {
  readonly claimed: ClaimedRun;
  readonly signal: AbortSignal;
  /** Told what would be to blame for the next failure. */
  readonly blame: (blame: Blame) => void;
}

/**
 * Open, plan, read, map, deliver (house plan §3). The next chunk is read and mapped while this one commits, and never more
 * than that one. An abort ends it at the border of a chunk: what is being committed is committed.
 */
export async function executeRun(deps: EngineDeps, execution: Execution): Promise<RunResult> {
  const { claimed, signal, blame } = execution;
  blame('connection');
  await using session = await openSession(deps, claimed, signal);
  const source = await openSource(deps, { ...execution, session });
  if (source.range.kind !== 'empty') {
    blame('data model');
    await deliverAll(deps, { claimed, source, session, signal, blame });
  }
  return { position: positionAfter(claimed, source), warnings: source.warnings };
}

type Reading = Execution & { readonly source: RunSource; readonly session: Session };

async function deliverAll(deps: EngineDeps, reading: Reading): Promise<void> {
  const { claimed, source, session, signal, blame } = reading;
  const { chunkRows } = deps.settings;
  const label = { pipeline: claimed.snapshot.pipeline.id, run: String(claimed.runId) };
  const chunks = readChunks({ session, chunkRows, label }, source, signal);
  let progress: Progress = NOTHING_YET;
  let next = readNext(chunks);
  try {
    for (let chunk = await next; chunk !== undefined; chunk = await next) {
      signal.throwIfAborted();
      next = readNext(chunks);
      progress = await deliverChunk(deps, { claimed, source, progress } satisfies Delivery, chunk);
      if (isHopeless(progress)) {
        blame('pipeline');
        throw hopeless(progress, chunk);
      }
    }
  } finally {
    // whatever is being read ends before its session is closed
    await next.catch(() => undefined);
    await chunks.return();
  }
}

/** The read-ahead may fail while nobody waits for it yet; its failure is met when it is its turn. */
function readNext(chunks: AsyncGenerator<MappedChunk, void, undefined>): Promise<MappedChunk | undefined> {
  const next = chunks.next().then(({ value }) => value ?? undefined);
  next.catch(() => undefined);
  return next;
}

function isHopeless({ extracted, successful }: Progress): boolean {
  return extracted >= HOPELESS_ROWS && successful === 0;
}

function hopeless({ extracted }: Progress, { mapped }: MappedChunk): AppError {
  const [first] = mapped.refused;
  const where = first === undefined || first.refusal.field === '' ? '' : `column "${first.refusal.field}": `;
  const example = first === undefined ? 'The failed records say why.' : `For example: ${where}${first.refusal.reason}`;
  const message = `Of the first ${extracted} rows not one could be mapped. ${example} Mend the model and trigger again.`;
  return new AppError('NO_ROW_MAPPED', message);
}

/** A full pipeline has no position, and an empty range leaves it. */
function positionAfter({ snapshot }: ClaimedRun, { range }: RunSource): RunResult['position'] {
  return snapshot.pipeline.syncMode.type === 'incremental' && range.kind === 'range' ? range.range.end : undefined;
}
