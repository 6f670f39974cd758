import type { Row } from '../../mapping/index.ts';
import { cellText } from '../../mapping/index.ts';
import type { Cell } from '../../warehouse/index.ts';
import { giveUpRecords } from '../failed-records/give-up-records.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import { KEY_BYTES, NOTHING_LEFT_OUT } from '../ledger/row-ledger.ts';
import { keptAsTheyAre } from '../ledger/row-pack.ts';
import type { Sieve } from '../ledger/sieve.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';

/** The ledger of a run that reads all rows in each attempt: every row passes, and none is remembered or retried by itself. */
export function leaveNothingOut(claimed: ClaimedRun): ResumeLedger {
  return {
    openSieve,
    // the next run reads the row in the warehouse, as it is by then
    write: (tx) => giveUpRecords(tx, claimed),
  };
}

/** Rows are identities and an MPID, whose texts live as long as the chunk in any case: so they are kept as they are. */
function openSieve(): Sieve {
  const rows: Row[] = [];
  let bytes = 0;
  return {
    get passed() {
      return rows.length;
    },
    found: 0,
    get bytes() {
      return bytes;
    },
    hashes: undefined,
    pass(row) {
      rows.push(row);
      for (const cell of row) bytes += bytesOf(cell);
      return true;
    },
    // the counts go by the number of keys
    close() {
      const keys = new Uint8Array(rows.length * KEY_BYTES);
      return { rows: keptAsTheyAre(rows), keys, deduplicated: NOTHING_LEFT_OUT };
    },
  };
}

const NUMBER_BYTES = 8;

/** About how many; of what is no identity the row fails, but it has its size. */
function bytesOf(cell: Cell): number {
  if (typeof cell === 'string') return cell.length;
  return typeof cell === 'object' && cell !== null ? cellText(cell).length : NUMBER_BYTES;
}
