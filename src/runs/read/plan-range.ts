import { type Micros, microsOfMs, msOfMicros } from '../../kernel/index.ts';
import type { IteratorAxis } from '../../mapping/index.ts';

/** Everything that decides which part of the time line a run reads. */
export interface RangeInput {
  readonly mode: 'full' | 'incremental';
  /** undefined: a full pipeline without an iterator. */
  readonly axis: IteratorAxis | undefined;
  /** End of the last range that was delivered. */
  readonly position: Micros | undefined;
  readonly from: Micros | undefined;
  /** Where the first run begins when there is no `from`: on demand, at the schedule's start. */
  readonly firstStart: Micros | undefined;
  readonly until: Micros | undefined;
  readonly delayMs: number;
  readonly lookbackMs: number;
  /** Only from here on is it known which rows were delivered; undefined: from the beginning. */
  readonly ledgerFrom: Micros | undefined;
  /** What the scheduler or the trigger gave; undefined: as far as the warehouse's clock allows. */
  readonly nominalEnd: Micros | undefined;
  readonly warehouseNow: Micros;
}

/** Half-open; a missing bound is no bound. */
export interface Range {
  readonly start: Micros | undefined;
  readonly end: Micros | undefined;
}

export type RangePlan =
  /** Read all rows. */
  | { readonly kind: 'whole' }
  | { readonly kind: 'range'; readonly range: Range }
  /** Nothing can be new: the run succeeds without reading and leaves the position. */
  | { readonly kind: 'empty'; readonly range: Range }
  /** The warehouse's clock is behind by less than a minute: ask it again after this time. */
  | { readonly kind: 'wait'; readonly waitMs: number };

const WAITED_FOR_MS = 60_000;

/**
 * Fixes the range of a run before its first read (D-081, D-086): [position, else from, else first start, min(nominal
 * end, warehouse clock − delay, until)), both ends on boundaries of the axis. The next run starts at this end.
 */
export function planRange(input: RangeInput): RangePlan {
  const { axis } = input;
  if (axis === undefined) return { kind: 'whole' };
  if (input.mode === 'full') return fullRange(axis, input);

  const wanted = wantedEnd(input);
  const available = input.warehouseNow - microsOfMs(input.delayMs);
  const missingMs = wanted === undefined ? 0 : msOfMicros(wanted - available + 999n);
  if (missingMs > 0 && missingMs < WAITED_FOR_MS) return { kind: 'wait', waitMs: missingMs };

  const end = axis.floor(least(wanted, available) ?? available);
  const start = floorOf(axis, input.position ?? input.from ?? input.firstStart);
  if (start !== undefined && end <= start) return { kind: 'empty', range: { start, end: start } };
  return { kind: 'range', range: { start: lookBack(axis, start, input), end } };
}

/** Where a run ends if the warehouse's clock allows. */
export function wantedEnd({ nominalEnd, until }: Pick<RangeInput, 'nominalEnd' | 'until'>): Micros | undefined {
  return least(nominalEnd, until);
}

// Plans the range of a full run. It has none of its own; from and until restrict it where an iterator says by which
// column.
function fullRange(axis: IteratorAxis, { from, until }: RangeInput): RangePlan {
  if (from === undefined && until === undefined) return { kind: 'whole' };
  const range = { start: floorOf(axis, from), end: floorOf(axis, until) };
  const isEmpty = range.start !== undefined && range.end !== undefined && range.end <= range.start;
  return { kind: isEmpty ? 'empty' : 'range', range };
}

/** A lookback widens the start, but not past `from`, nor past what would be taken for new. */
function lookBack(axis: IteratorAxis, start: Micros | undefined, input: RangeInput): Micros | undefined {
  if (start === undefined) return undefined;
  const widened = most(start - microsOfMs(input.lookbackMs), input.from, input.ledgerFrom);
  return least(start, axis.floor(widened));
}

function floorOf(axis: IteratorAxis, instant: Micros | undefined): Micros | undefined {
  return instant === undefined ? undefined : axis.floor(instant);
}

function least(left: Micros | undefined, right: Micros | undefined): Micros | undefined {
  if (left === undefined) return right;
  return right === undefined || left < right ? left : right;
}

function most(first: Micros, ...others: readonly (Micros | undefined)[]): Micros {
  return others.reduce<Micros>((newest, each) => (each !== undefined && each > newest ? each : newest), first);
}
