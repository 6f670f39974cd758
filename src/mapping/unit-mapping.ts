// How rows become what is kept, whatever a pipeline delivers. A *unit* is what is delivered whole: a person of one row, or
// a batch of rows that follow each other. A unit that fails fails all its rows.
import type { BatchOutcome } from '../events/index.ts';
import type { PersonFailure, PersonOutcome } from '../identity/index.ts';
import type { Transaction } from '../store/index.ts';
import type { Cell } from '../warehouse/index.ts';
import type { Refusal } from './cells/refusal.ts';
import type { WhoInRow } from './who-in-row.ts';

export type Row = readonly Cell[];

/** A row that is not kept, with what is wrong with it. */
export interface RefusedRow {
  readonly row: Row;
  /** Which row of its chunk it is. */
  readonly index: number;
  readonly refusal: Refusal;
}

export type UnitFailure = PersonFailure;
export type UnitOutcome = PersonOutcome | BatchOutcome;

/** Rows of a chunk that are ready for delivery, in units, and those that no unit took. */
export interface MappedRows {
  /** Rows of the units, in order, by their index in the chunk. */
  readonly accepted: readonly number[];
  /** Unit i covers `accepted[starts[i]]` up to `accepted[starts[i + 1] - 1]`; one more entry than there are units. */
  readonly starts: Int32Array;
  readonly refused: readonly RefusedRow[];
  /** Indexes in `accepted` of the rows that say something of a person at a time that is still to come, ascending. */
  readonly ahead: readonly number[];
  /** One outcome a unit, in order; may run more than once. Throws as `Identities.deliver` does. */
  deliver(tx: Transaction, exclusive: boolean): Promise<readonly UnitOutcome[]>;
}

/** Hashes of the rows that are added, 16 bytes each, where all columns make them: a row's begins at 16 × its index. */
export type RowHashes = Buffer | undefined;

/** A chunk while its rows come in, piece by piece; none of them is kept. */
export interface UnitCollector {
  /** Rows are counted from 0 on. */
  add(row: Row, hashes?: RowHashes): void;
  finish(): MappedRows;
}

/** Compiled once a run. */
export interface UnitMapping {
  /** Pure, so rows may be mapped again, and in parts: units of a part are made of its own rows. */
  collect(): UnitCollector;
  /** Each unit of the rows as the JSON text of an event batch, without `mpid` where a person has none yet, and without `batch_id`. */
  batchTexts(rows: readonly Row[]): readonly string[];
  /** Whom a row that is refused names. */
  readonly whoIn: WhoInRow;
  /** A unit's failure as the refusal of one of its rows: people look for the column, not for the identity type. */
  refusalOf(row: Row, failure: UnitFailure): Refusal;
}
