// Tells which rows of a run no later run reads again once this one has succeeded. In an incremental run with a lookback, that
// is most of a first load. Their hashes are stored apart, so that they can be deleted at the end of the run.
import { type Micros, microsOfMs } from '../../kernel/index.ts';
import type { Row } from '../../mapping/index.ts';
import { durationMs } from '../../pipelines/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { RunSnapshot } from '../lifecycle/run-snapshot.ts';
import type { FixedRange } from '../read/fix-range.ts';
import type { ModelIterator } from '../read/model-source.ts';

export interface EarlyRows {
  /** A boundary of the axis. No range that is planned later begins before it. */
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
 * Returns the boundary of early rows. The next range begins at the end of this one, less the lookback.
 * Returns undefined where all rows are alike: without a lookback the end of the range is the boundary, and with a lookback as
 * long as the range all rows are read again.
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
 * Compares a cell with the boundary as the warehouse does: numbers by value, times by their texts, which sort like the times.
 * A cell of another form, such as an infinite time, counts as late.
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
