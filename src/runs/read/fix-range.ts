import { formatMicros, instantFromStore, type Micros } from '../../kernel/index.ts';
import type { IteratorAxis } from '../../mapping/index.ts';
import { durationMs, type Notice, type Run } from '../../pipelines/index.ts';
import type { Session } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { writeRange } from '../lifecycle/held-run.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { planRange, type Range, type RangeInput, type RangePlan, wantedEnd } from './plan-range.ts';

export type FixedRange = Exclude<RangePlan, { readonly kind: 'wait' }>;

interface RangeSource {
  readonly claimed: ClaimedRun;
  readonly axis: IteratorAxis | undefined;
  readonly session: Session;
  readonly signal: AbortSignal;
}

/**
 * Fixes the range of the run. The first attempt does so before anything is read, and stores it in the run's row for all
 * attempts.
 * Waits for a warehouse clock that is a little behind.
 */
export async function fixRange(deps: RunsDeps, source: RangeSource): Promise<FixedRange> {
  const { claimed, axis, session, signal } = source;
  const { rangeStart, rangeEnd } = claimed.run;
  if (rangeEnd !== null) return rangeOfTexts(rangeStart, rangeEnd);
  if (axis === undefined) return { kind: 'whole' };
  const input = rangeInput(claimed.snapshot, axis, claimed.run);
  let plan = planRange({ ...input, warehouseNow: await session.clock(signal) });
  while (plan.kind === 'wait') {
    await deps.clock.sleep(plan.waitMs, signal);
    plan = planRange({ ...input, warehouseNow: await session.clock(signal) });
  }
  if (plan.kind !== 'whole') await writeRange(deps.store, claimed, textsOf(plan.range));
  return plan;
}

/**
 * Returns a warning where the range ends before its nominal end. The run waits for a clock of the warehouse that is behind by
 * less than a minute.
 */
export function shortRangeWarnings(
  { run, snapshot }: ClaimedRun,
  axis: IteratorAxis,
  range: FixedRange,
): readonly Notice[] {
  if (range.kind === 'whole' || snapshot.pipeline.syncMode.type === 'full' || run.nominalEnd === null) return [];
  const wanted = wantedEnd(rangeInput(snapshot, axis, run));
  const { end } = range.range;
  if (wanted === undefined || end === undefined || axis.floor(wanted) <= end) return [];
  const message =
    `The run ends at ${formatMicros(end)} and not at ${formatMicros(axis.floor(wanted))}, because the clock of the ` +
    'warehouse is more than a minute behind the clock of Penstock. The rest comes with a later run. Set both clocks by NTP.';
  return [{ message }];
}

/** Returns the input of the range plan, except the warehouse's clock. */
export function rangeInput(
  { pipeline }: RunSnapshot,
  axis: IteratorAxis,
  run: Pick<Run, 'nominalEnd'>,
): Omit<RangeInput, 'warehouseNow'> {
  const { position, ledgerFrom, syncMode, schedule } = pipeline;
  return {
    mode: syncMode.type,
    axis,
    position: instantOf(position),
    from: instantOf(syncMode.from),
    // the start of an interval or of a `once` schedules its first run and says nothing about its rows
    firstStart: schedule.type === 'on_demand' ? instantOf(schedule.start) : undefined,
    until: instantOf(syncMode.until),
    delayMs: durationMs(schedule.delay),
    lookbackMs: durationMs(syncMode.lookback),
    ledgerFrom: instantOf(ledgerFrom),
    nominalEnd: instantOf(run.nominalEnd),
  };
}

/** Returns the stored range. An earlier attempt may have stored an empty one, because nothing could be new. */
function rangeOfTexts(startText: string | null, endText: string): FixedRange {
  const [start, end] = [instantOf(startText), instantFromStore(endText)];
  const isEmpty = start !== undefined && end <= start;
  return { kind: isEmpty ? 'empty' : 'range', range: { start, end } };
}

function instantOf(text: string | null | undefined): Micros | undefined {
  return text === null || text === undefined ? undefined : instantFromStore(text);
}

const textsOf = ({ start, end }: Range) => ({ start: textOf(start), end: textOf(end) });

function textOf(instant: Micros | undefined): string | null {
  return instant === undefined ? null : formatMicros(instant);
}
