import { formatMicros, instantFromStore, type Micros } from '../../kernel/index.ts';
import type { IteratorAxis } from '../../mapping/index.ts';
import { durationMs, type Notice, type Run } from '../../pipelines/index.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import { at } from '../lifecycle/fault-subject.ts';
import { writeRange } from '../lifecycle/held-run.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConnectedExecution } from './execution.ts';
import { planRange, type Range, type RangeInput, type RangePlan, wantedEnd } from './plan-range.ts';

export type FixedRange = Exclude<RangePlan, { readonly kind: 'wait' }>;

interface RangeOfRun {
  readonly range: FixedRange;
  readonly warnings: readonly Notice[];
}

const WHOLE: FixedRange = { kind: 'whole' };

type RangeSource = Pick<ConnectedExecution, 'claimed' | 'session' | 'signal'>;

/**
 * Fixes the range of the run. The first attempt does so before anything is read, and stores it in the run's row for all
 * attempts. `axis` is that of the iterator, where the model has one.
 * Waits for a warehouse clock that is a little behind.
 */
export async function fixRange(
  deps: RunsDeps,
  source: RangeSource,
  axis: IteratorAxis | undefined,
): Promise<RangeOfRun> {
  const { claimed } = source;
  const { rangeStart, rangeEnd } = claimed.run;
  const fixed = rangeEnd === null ? undefined : rangeOfTexts(rangeStart, rangeEnd);
  const range = fixed ?? (axis === undefined ? WHOLE : await planByClock(deps, source, axis));
  const warnings = axis === undefined ? [] : shortRangeWarnings(claimed, axis, range);
  if (fixed === undefined && range.kind !== 'whole') await writeRange(deps.store, claimed, textsOf(range.range));
  return { range, warnings };
}

/** Plans the range by the warehouse's clock. */
async function planByClock(
  { clock }: RunsDeps,
  { claimed, session, signal }: RangeSource,
  axis: IteratorAxis,
): Promise<FixedRange> {
  const input = rangeInput(claimed.snapshot, axis, claimed.run);
  const plan = async () => planRange({ ...input, warehouseNow: await at('connection', () => session.clock(signal)) });
  let planned = await plan();
  while (planned.kind === 'wait') {
    await clock.sleep(planned.waitMs, signal);
    planned = await plan();
  }
  return planned;
}

/**
 * Returns a warning where the range ends before its nominal end. The run waits for a clock of the warehouse that is behind by
 * less than a minute.
 */
function shortRangeWarnings({ run, snapshot }: ClaimedRun, axis: IteratorAxis, range: FixedRange): readonly Notice[] {
  if (range.kind === 'whole' || snapshot.pipeline.syncMode.type === 'full' || run.nominalEnd === null) return [];
  const wanted = wantedEnd(rangeInput(snapshot, axis, run));
  const { end } = range.range;
  if (wanted === undefined || end === undefined || axis.floor(wanted) <= end) return [];
  const message =
    `The run ends at ${formatMicros(end)} instead of ${formatMicros(axis.floor(wanted))}, because the clock of the ` +
    'warehouse is more than a minute behind the clock of Penstock. A later run loads the rest. Set both clocks with NTP.';
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
