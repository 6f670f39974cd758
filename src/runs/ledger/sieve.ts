import { AppError } from '../../kernel/index.ts';
import type { Row, RowHash, RowHashes } from '../../mapping/index.ts';
import type { EarlyRows } from './early-rows.ts';
import type { KnownRows } from './known-rows.ts';
import { KEY_BYTES, NO_KEYS, type TakenRows } from './row-ledger.ts';
import { createRowPack, type KeptRows } from './row-pack.ts';
import { wordsOf } from './stored-hashes.ts';

/**
 * A filter for the rows of one chunk. It passes rows that are to be delivered, and collects the data that their delivery needs.
 */
export interface Sieve {
  /** Rows that have passed. */
  readonly passed: number;
  /** Rows that are counted but not delivered, because another run has delivered them. */
  readonly found: number;
  /** Bytes of the rows that have passed. */
  readonly bytes: number;
  /** Hashes of the rows that have passed, where they cover all columns. */
  readonly hashes: RowHashes;
  /** Returns whether the row is to be delivered. */
  pass(row: Row): boolean;
  /** Returns the rows that have passed, with their keys. Must be called once. */
  close(): TakenRows & { readonly rows: KeptRows };
}

export interface SievePlan {
  /** Hash over all columns. */
  readonly whole: RowHash;
  /** Rows that were taken before, for each set of columns. The keys of rows that pass are hashes of the first set. */
  readonly known: readonly KnownRows[];
  readonly early: Pick<EarlyRows, 'isEarly'> | undefined;
}

export function createSieve({ whole, known, early }: SievePlan): Sieve {
  const pack = createRowPack(whole.rowOf);
  const keys = createKeys();
  const marks: number[] = [];
  const [newest, ...former] = known.map((rows, index) => createFinder(rows, index === 0 ? keys : createKeys()));
  if (newest === undefined) throw new AppError('INTERNAL', 'No columns identify the rows.');
  const found = () => former.reduce((count, finder) => count + finder.found.count, newest.found.count);
  return {
    get passed() {
      return keys.count;
    },
    get found() {
      return found();
    },
    get bytes() {
      return pack.bytes;
    },
    get hashes() {
      return newest.hash === whole ? keys.bytes : undefined;
    },
    pass(row) {
      const text = whole.textOf(row);
      // a row that does not pass leaves its key to be overwritten by the next one
      if (newest.isTaken(newest.hash === whole ? text : newest.hash.textOf(row))) return false;
      if (former.some((finder) => finder.knows(row))) return false;
      keys.count++;
      if (early !== undefined) marks.push(Number(early.isEarly(row)));
      pack.add(whole.cellsOf(text));
      return true;
    },
    close: () => ({
      rows: pack,
      keys: keys.all(),
      early: early === undefined ? undefined : Uint8Array.from(marks),
      deduplicated: [newest, ...former].map((finder) => finder.found.all()),
    }),
  };
}

/** Creates a finder of rows by one set of columns. The key of the row in question is at the end of `keys`. */
function createFinder({ hash, own, others }: KnownRows, keys: Keys) {
  const found = createKeys();
  return {
    hash,
    /** Rows that are counted but not delivered, because another run has delivered them. */
    found,
    knows(row: Row): boolean {
      return (own.left > 0 || others.left > 0) && this.isTaken(hash.textOf(row));
    },
    isTaken(text: string): boolean {
      hash.write(text, keys.roomForOne(), keys.count * KEY_BYTES);
      const { bytes, words, count } = keys;
      if (own.take(words, count * KEY_WORDS)) return true;
      if (!others.take(words, count * KEY_WORDS)) return false;
      bytes.copy(found.roomForOne(), found.count * KEY_BYTES, count * KEY_BYTES, (count + 1) * KEY_BYTES);
      found.count++;
      return true;
    },
  };
}

const KEY_WORDS = KEY_BYTES / 4;
const FIRST_KEYS = 256;

type Keys = ReturnType<typeof createKeys>;

/** Creates a growable buffer of row keys. */
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
