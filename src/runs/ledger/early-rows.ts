// Which rows of a run no later run reads again once this one has succeeded. Of an incremental run with a lookback these are
// most of a first load: their hashes are kept apart, so that they can go with the end of the run.
import { type Micros, microsOfMs } from '../../kernel/index.ts';
import type { Row } from '../../mapping/index.ts';
import { durationMs } from '../../pipelines/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { FixedRange } from '../read/fix-range.ts';
import type { ModelIterator } from '../read/model-source.ts';

export interface EarlyRows {
  /** A boundary of the axis, so that no range that is planned later begins before it. */
  readonly before: Micros;
  isEarly(row: Row): boolean;
}

export interface EarlyRowsInput {
  readonly pipeline: RunSnapshot['pipeline'];
  readonly columns: readonly Column[];
  readonly iterator: ModelIterator | undefined;
  readonly range: FixedRange;
}

/**
 * The next range begins at the end of this one, less the lookback. Undefined where all rows are alike: without a lookback the
 * end of the range itself says it, and a lookback as long as the range reads all of them again.
 */
export function earlyRows({ pipeline, columns, iterator, range }: EarlyRowsInput): EarlyRows | undefined {
  const { syncMode } = pipeline;
  const lookback = microsOfMs(durationMs(syncMode.lookback));
  if (syncMode.type === 'full' || iterator === undefined || range.kind === 'whole' || lookback === 0n) return undefined;
  const { start, end } = range.range;
  if (end === undefined) return undefined;
  const before = iterator.axis.floor(end - lookback);
  if (start !== undefined && before <= start) return undefined;
  const isBefore = comparison(iterator, before);
  const place = columns.indexOf(iterator.column);
  return { before, isEarly: (row) => isBefore(row[place] ?? null) };
}

/**
 * Compares as the warehouse does that reads from the boundary on: numbers by value, times by their texts, which sort like the
 * times they are of. What has another form, such as an infinite time, counts as late.
 */
function comparison({ column, axis }: ModelIterator, boundary: Micros): (cell: Cell) => boolean {
  const bound = axis.bound(boundary);
  if (typeof bound === 'bigint') {
    return (cell) => (typeof cell === 'number' || typeof cell === 'bigint') && cell < bound;
  }
  if (bound === undefined || !SORTED.has(column.type)) return () => false;
  const text = bound.replace('+00:00', 'Z');
  return (cell) => typeof cell === 'string' && cell.length === text.length && cell < text;
}

/** Types whose cells all have one form. */
const SORTED: ReadonlySet<Column['type']> = new Set(['date', 'timestamp', 'timestamp_tz']);
