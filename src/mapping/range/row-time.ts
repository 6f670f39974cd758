import { type Micros, microsOfMs } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import { NO_TIME } from '../cells/cell-text.ts';
import { shownValue } from '../cells/failed-row.ts';
import type { Refusal } from '../cells/refusal.ts';
import type { Row } from '../unit-mapping.ts';
import type { IteratorAxis } from './iterator-axis.ts';

/** Everything that determines the time of a row. */
export interface RowTimePlan {
  readonly columns: readonly Column[];
  /** Iterator that gives the row's time. Without it, or where the cell is NULL, the time is the run's start. */
  readonly iterator: { readonly column: Column; readonly axis: IteratorAxis } | undefined;
  readonly runStart: Micros;
  readonly nowMs: () => number;
}

export interface RowTime {
  readonly time: Micros;
  /**
   * Time at which the row sets attributes: its own, or the run's start where its own lies in the future. A future time would
   * win over every later value.
   */
  readonly setAt: Micros;
}

/** Compiles the reader of a row's time. A row whose iterator is no time of the years 1 to 9999 is refused. */
export function compileRowTime({ columns, iterator, runStart, nowMs }: RowTimePlan): (row: Row) => RowTime | Refusal {
  const atStart: RowTime = { time: runStart, setAt: runStart };
  if (iterator === undefined) return () => atStart;
  const { axis, column } = iterator;
  const position = columns.indexOf(column);
  return (row) => {
    const cell = row[position] ?? null;
    if (cell === null) return atStart;
    const time = axis.instantOf(cell);
    if (time === undefined) return noTime(column, cell);
    // few rows need the clock: most are older than the run
    const isAhead = time > runStart && time > microsOfMs(nowMs());
    return { time, setAt: isAhead ? runStart : time };
  };
}

function noTime(column: Column, cell: Cell): Refusal {
  return { ...NO_TIME, field: column.name, value: shownValue(cell) };
}
