import { type Micros, microsOfMs, msOfMicros } from '../../kernel/index.ts';
import type { IteratorAxis } from '../../mapping/index.ts';

/** Everything that determines which part of the time line a run reads. */
export interface RangeInput {
  readonly mode: 'full' | 'incremental';
  /** Iterator's axis. Undefined: a full pipeline without an iterator. */
  readonly axis: IteratorAxis | undefined;
  /** End of the last delivered range. */
  readonly position: Micros | undefined;
  readonly from: Micros | undefined;
  /** Start of the first run without `from`: the schedule's start, for an on-demand pipeline. */
  readonly firstStart: Micros | undefined;
  readonly until: Micros | undefined;
  readonly delayMs: number;
  readonly lookbackMs: number;
  /** Instant from which on the delivered rows are known. Undefined: from the beginning. */
  readonly ledgerFrom: Micros | undefined;
  /** End set by the scheduler or the trigger. Undefined: as late as the warehouse's clock allows. */
  readonly nominalEnd: Micros | undefined;
  readonly warehouseNow: Micros;
}

/** A half-open range. A missing bound is unbounded. */
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
 * Fixes the range of a run before its first read (D-081, D-086), with both ends on boundaries of the axis. The next run starts
 * at this end.
 * - Start: the position, else `from`, else the first start.
 * - End, exclusive: the earliest of nominal end, warehouse clock − delay, and `until`.
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

/** Returns the end of the run as far as the warehouse's clock allows it. */
export function wantedEnd({ nominalEnd, until }: Pick<RangeInput, 'nominalEnd' | 'until'>): Micros | undefined {
  return least(nominalEnd, until);
}

// Plans the range of a full run, which reads everything. Where an iterator names the column, from and until restrict it.
function fullRange(axis: IteratorAxis, { from, until }: RangeInput): RangePlan {
  if (from === undefined && until === undefined) return { kind: 'whole' };
  const range = { start: floorOf(axis, from), end: floorOf(axis, until) };
  const isEmpty = range.start !== undefined && range.end !== undefined && range.end <= range.start;
  return { kind: isEmpty ? 'empty' : 'range', range };
}

/**
 * Returns the start with the lookback. It does not go past `from`, nor past the instant before which delivered rows would seem
 * new.
 */
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
