import type { ClaimedRun } from '../claim-run.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import { KEY_BYTES, NO_KEYS } from '../ledger/row-ledger.ts';
import { keptAsTheyAre } from '../ledger/row-pack.ts';
import type { Sieve } from '../ledger/sieve.ts';
import type { Row } from '../mapping/unit-mapping.ts';
import { giveUpRecords } from '../retry/give-up-records.ts';

/** About what a row of a few identities takes. */
const ROW_BYTES = 200;

/** The ledger of a run that reads all rows in each attempt: every row passes, and none is remembered or retried by itself. */
export function leaveNothingOut(claimed: ClaimedRun): ResumeLedger {
  return {
    openSieve: createOpenSieve,
    // the next run reads the row in the warehouse, as it is by then
    write: (tx) => giveUpRecords(tx, claimed),
  };
}

function createOpenSieve(): Sieve {
  const rows: Row[] = [];
  return {
    get passed() {
      return rows.length;
    },
    found: 0,
    get bytes() {
      return rows.length * ROW_BYTES;
    },
    hashes: undefined,
    pass(row) {
      rows.push(row);
      return true;
    },
    // the counts go by the number of keys
    close: () => ({ rows: keptAsTheyAre(rows), keys: new Uint8Array(rows.length * KEY_BYTES), deduplicated: NO_KEYS }),
  };
}
