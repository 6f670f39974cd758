// Mapping of rows to units. A *unit* is delivered whole: a person of one row, or a batch of
// consecutive rows. A unit that fails fails all its rows.
import type { BatchOutcome } from '../events/index.ts';
import type { PersonFailure, PersonOutcome } from '../identity/index.ts';
import type { Transaction } from '../store/index.ts';
import type { Cell } from '../warehouse/index.ts';
import type { Refusal } from './cells/refusal.ts';
import type { RowIdentities } from './row-identities.ts';

export type Row = readonly Cell[];

/** A row that is not kept, with the rule that it breaks. */
export interface RefusedRow {
  readonly row: Row;
  /** Index of the row in its chunk. */
  readonly index: number;
  readonly refusal: Refusal;
}

export type UnitFailure = PersonFailure;
export type UnitOutcome = PersonOutcome | BatchOutcome;

/** Rows of a chunk that are ready for delivery, in units, and those that were refused. */
export interface MappedRows {
  /** Indexes in the chunk of the units' rows, in order. */
  readonly accepted: readonly number[];
  /**
   * Start of each unit: unit i covers `accepted[starts[i]]` up to `accepted[starts[i + 1] - 1]`. One entry more than there are
   * units.
   */
  readonly starts: Int32Array;
  readonly refused: readonly RefusedRow[];
  /** Indexes in `accepted` of the rows that set attributes of a person at a time in the future, ascending. */
  readonly ahead: readonly number[];
  /**
   * Delivers the units and returns one outcome for each, in order. May run more than once. Throws as `Identities.deliver` does.
   */
  deliver(tx: Transaction, exclusive: boolean): Promise<readonly UnitOutcome[]>;
}

/** Hashes of the added rows, 16 bytes each; a row's hash begins at 16 × its index. Undefined unless all columns make them. */
export type RowHashes = Buffer | undefined;

/** A chunk whose rows arrive piece by piece. None of them is kept. */
export interface UnitCollector {
  /** Adds a row. Rows count from 0. */
  add(row: Row, hashes?: RowHashes): void;
  finish(): MappedRows;
}

/** The mapping of rows to units, compiled once for each run. */
export interface UnitMapping {
  /** Creates a collector. Pure, so rows may be mapped again, and in parts: units of a part contain only its own rows. */
  collect(): UnitCollector;
  /**
   * Returns each unit of the rows as the JSON text of an event batch, without `batch_id`, and without `mpid` where the person
   * has none yet.
   */
  batchTexts(rows: readonly Row[]): readonly string[];
  /** Reads the identities of a refused row. */
  readonly identitiesOf: RowIdentities;
  /**
   * Returns a unit's failure as the refusal of one of its rows. It names the column, because users look for that, not for the
   * identity type.
   */
  refusalOf(row: Row, failure: UnitFailure): Refusal;
}
