// How a run knows the rows it has taken, so that whatever dies, none is delivered twice. A run over a warehouse keeps a hash
// of each row beside the chunk that took it and leaves out what it finds again; one over failed records marks the records.

import { HASH_BYTES } from '../../mapping/index.ts';
import type { Transaction } from '../../store/index.ts';

/** Rows of one transaction, by their keys: 16 bytes each. */
export interface TakenRows {
  readonly keys: Uint8Array;
  /** One byte a key, 1 where no later run reads the row again once this run has succeeded; absent: nobody can tell. */
  readonly early?: Uint8Array | undefined;
  /**
   * Keys of rows that are counted and left out, because another run has delivered them; a list for each set of columns that
   * the ledger knows rows by.
   */
  readonly deduplicated: readonly Uint8Array[];
}

export interface RowLedger {
  /** Part of the transaction that delivers the rows; `afterRows` are those that the run had counted before. */
  write(tx: Transaction, taken: TakenRows & { readonly afterRows: number }): Promise<void>;
}

export const KEY_BYTES = HASH_BYTES;
export const NO_KEYS = new Uint8Array(0);
export const NOTHING_LEFT_OUT: readonly Uint8Array[] = [];
