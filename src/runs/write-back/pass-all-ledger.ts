import type { Row } from '../../mapping/index.ts';
import { cellText } from '../../mapping/index.ts';
import type { Cell } from '../../warehouse/index.ts';
import { giveUpRecords } from '../failed-records/write-failed-records.ts';
import type { ResumeLedger } from '../ledger/open-ledger.ts';
import { KEY_BYTES, NO_DEDUPLICATED } from '../ledger/row-ledger.ts';
import { keepRows } from '../ledger/row-pack.ts';
import type { Sieve } from '../ledger/sieve.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';

/**
 * Returns the ledger of a run that reads all rows in each attempt: every row passes, none is remembered, and none is retried by
 * itself.
 */
export function createPassAllLedger(claimed: ClaimedRun): ResumeLedger {
  return {
    openSieve,
    // the next run reads the row from the warehouse, in its then current state
    write: (tx) => giveUpRecords(tx, claimed),
  };
}

/**
 * Opens a sieve that keeps the rows as they are. They are identities and an MPID, whose texts live as long as the chunk in any
 * case.
 */
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
    // the counts use the number of keys
    close() {
      const keys = new Uint8Array(rows.length * KEY_BYTES);
      return { rows: keepRows(rows), keys, deduplicated: NO_DEDUPLICATED };
    },
  };
}

const NUMBER_BYTES = 8;

/** Returns the approximate size of a cell. A cell that is no identity fails its row, but still has a size. */
function bytesOf(cell: Cell): number {
  if (typeof cell === 'string') return cell.length;
  return typeof cell === 'object' && cell !== null ? cellText(cell).length : NUMBER_BYTES;
}
