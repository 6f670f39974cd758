import type { Row, RowHashes } from '../mapping/unit-mapping.ts';
import type { HashMultiset } from './hash-multiset.ts';
import type { RowHash } from './row-hash.ts';
import { KEY_BYTES, NO_KEYS, type TakenRows } from './row-ledger.ts';
import { createRowPack, type KeptRows } from './row-pack.ts';
import { wordsOf } from './stored-hashes.ts';

/** Lets the rows of one chunk pass that are to be delivered, and keeps what delivering them takes. */
export interface Sieve {
  /** Rows that have passed. */
  readonly passed: number;
  /** Rows that are only counted, because another run has delivered them. */
  readonly found: number;
  /** Bytes of the rows that have passed. */
  readonly bytes: number;
  /** Hashes of the rows that have passed, where all their columns make them. */
  readonly hashes: RowHashes;
  /** Whether the row is to be delivered. */
  pass(row: Row): boolean;
  /** To be asked once. */
  close(): TakenRows & { readonly rows: KeptRows };
}

export interface SievePlan {
  /** Of all columns. */
  readonly whole: RowHash;
  /** Of those by which a row is recognised. */
  readonly identifying: RowHash;
  /** What this run took in an earlier attempt. */
  readonly own: HashMultiset;
  /** What other runs took. */
  readonly others: HashMultiset;
}

export function createSieve({ whole, identifying, own, others }: SievePlan): Sieve {
  const pack = createRowPack(whole.rowOf);
  const keys = createKeys();
  const deduplicated = createKeys();
  const isTaken = (): boolean => {
    const { bytes, words, count } = keys;
    if (own.left > 0 && own.take(words, count * KEY_WORDS)) return true;
    if (others.left === 0 || !others.take(words, count * KEY_WORDS)) return false;
    bytes.copy(deduplicated.roomForOne(), deduplicated.count * KEY_BYTES, count * KEY_BYTES, (count + 1) * KEY_BYTES);
    deduplicated.count++;
    return true;
  };
  return {
    get passed() {
      return keys.count;
    },
    get found() {
      return deduplicated.count;
    },
    get bytes() {
      return pack.bytes;
    },
    get hashes() {
      return identifying === whole ? keys.bytes : undefined;
    },
    pass(row) {
      const text = whole.textOf(row);
      // where the row does not pass, the next one writes its key over this one
      const key = identifying === whole ? text : identifying.textOf(row);
      identifying.write(key, keys.roomForOne(), keys.count * KEY_BYTES);
      if (isTaken()) return false;
      keys.count++;
      pack.add(whole.cellsOf(text));
      return true;
    },
    close: () => ({ rows: pack, keys: keys.all(), deduplicated: deduplicated.all() }),
  };
}

const KEY_WORDS = KEY_BYTES / 4;
const FIRST_KEYS = 256;

/** Keys that become more. */
function createKeys() {
  let bytes: Buffer = Buffer.from(NO_KEYS);
  let words = wordsOf(bytes);
  return {
    count: 0,
    get bytes() {
      return bytes;
    },
    get words() {
      return words;
    },
    roomForOne(): Buffer {
      if ((this.count + 1) * KEY_BYTES <= bytes.length) return bytes;
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, FIRST_KEYS * KEY_BYTES));
      bytes.copy(larger);
      bytes = larger;
      words = wordsOf(bytes);
      return bytes;
    },
    all(): Uint8Array {
      return bytes.subarray(0, this.count * KEY_BYTES);
    },
  };
}
