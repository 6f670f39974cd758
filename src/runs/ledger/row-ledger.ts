// The ledger lets a run recognise the rows it has taken, so that no row is delivered twice, whatever process dies. A run
// over a warehouse keeps a hash of each row beside the chunk that took it, and skips rows that it finds again. A run over
// failed records marks the records.

import { HASH_BYTES } from '../../mapping/index.ts';
import type { Transaction } from '../../store/index.ts';

/** Rows of one transaction, by their keys: 16 bytes each. */
export interface TakenRows {
  readonly keys: Uint8Array;
  /**
   * One byte for each key: 1 where no later run reads the row again once this run has succeeded. Absent where that is unknown.
   */
  readonly early?: Uint8Array | undefined;
  /**
   * Keys of rows that are counted and skipped, because another run has delivered them: one list for each set of columns by
   * which the ledger knows rows.
   */
  readonly deduplicated: readonly Uint8Array[];
}

export interface RowLedger {
  /**
   * Writes the rows in the transaction that delivers them. `afterRows` is the number of rows that the run had counted before.
   */
  write(tx: Transaction, taken: TakenRows & { readonly afterRows: number }): Promise<void>;
}

export const KEY_BYTES = HASH_BYTES;
export const NO_KEYS = new Uint8Array(0);
export const NO_DEDUPLICATED: readonly Uint8Array[] = [];
