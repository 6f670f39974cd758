import type { Secret } from '../../kernel/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { ClaimedRun } from '../claim-run.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import { createRowHash, type RowHash } from '../ledger/row-hash.ts';
import { KEY_BYTES, NO_KEYS } from '../ledger/row-ledger.ts';
import { createRowPack } from '../ledger/row-pack.ts';
import type { Sieve } from '../ledger/sieve.ts';
import { giveUpRecords } from '../retry/give-up-records.ts';

export interface ReadRows {
  readonly claimed: ClaimedRun;
  readonly columns: readonly Column[];
  readonly ledgerKey: Secret;
}

/** The ledger of a run that reads all rows in each attempt: every row passes, and none is remembered or retried by itself. */
export function leaveNothingOut({ claimed, columns, ledgerKey: key }: ReadRows): ResumeLedger {
  const whole = createRowHash({ key, columns, positions: [...columns.keys()] });
  return {
    openSieve: () => openSieve(whole),
    // the next run reads the row in the warehouse, as it is by then
    write: (tx) => giveUpRecords(tx, claimed),
  };
}

/** Rows are kept as text for those that fail, and not hashed. */
function openSieve({ textOf, cellsOf, rowOf }: RowHash): Sieve {
  const rows = createRowPack(rowOf);
  let passed = 0;
  return {
    get passed() {
      return passed;
    },
    found: 0,
    get bytes() {
      return rows.bytes;
    },
    hashes: undefined,
    pass(row) {
      rows.add(cellsOf(textOf(row)));
      passed += 1;
      return true;
    },
    // the counts go by the number of keys
    close: () => ({ rows, keys: new Uint8Array(passed * KEY_BYTES), deduplicated: NO_KEYS }),
  };
}
