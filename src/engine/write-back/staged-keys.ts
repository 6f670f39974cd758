import type { KeyCell, StagedRow, StagedRows } from '../../warehouse/index.ts';
import { keyOfName } from './key-name.ts';

/** Keys that go to the warehouse together: about 40 MB of them, and half of what one call takes. */
const MOST_KEYS = 250_000;
const MOST_CHARS = 32 * 1024 * 1024;
const MOST_STAGED = 400_000;

/** A row whose person is known and committed. */
export interface ResolvedRow {
  /** `nameOfKey` of its key. */
  readonly name: string;
  readonly readMpid: bigint | null;
  readonly mpid: bigint;
}

/** A key whose rows are different people: nothing is written for it. */
export interface AmbiguousKey {
  readonly key: readonly KeyCell[];
  /** One of them. */
  readonly mpid: bigint;
}

/** Rows that were resolved, by key, until they are written. */
export interface StagedKeys {
  readonly isFull: boolean;
  add(row: ResolvedRow): void;
  /** What is to be written, as the contract of writing back wants it, and the keys that cannot be; empties it. */
  take(): { readonly rows: StagedRows; readonly ambiguous: readonly AmbiguousKey[] };
}

/** Some row of the key does not have its MPID. */
const STALE = 1;
const AMBIGUOUS = 2;

/**
 * `isWhole`: rows of one key are one person. Then a row that has its MPID need not be remembered, so that a table of which
 * nothing has changed costs no memory. `shared`: names of keys that may be of several people, whatever comes here.
 */
export function createStagedKeys(isWhole: boolean, shared: ReadonlySet<string> = new Set()): StagedKeys {
  let pile = createPile();
  return {
    get isFull() {
      return pile.isFull();
    },
    add({ name, readMpid, mpid }) {
      const isRight = readMpid === mpid;
      const isShared = shared.has(name);
      if (isRight && (isWhole || isShared)) return;
      const number = pile.numberOf(name, mpid);
      pile.mark(number, (pile.isOf(number, mpid) && !isShared ? 0 : AMBIGUOUS) | (isRight ? 0 : STALE));
      if (!isRight && readMpid !== null) pile.addRead(number, readMpid);
    },
    take() {
      const taken = pile;
      pile = createPile();
      return { rows: taken.rows(), ambiguous: [...taken.ambiguous()] };
    },
  };
}

/** Keys that are written together, in as few things as can be: as objects they cost the garbage collector most of a run. */
function createPile() {
  /** The first row of a key gives it its number. */
  const numbers = new Map<string, number>();
  const readMpids = createReadMpids();
  let mpids = new BigInt64Array(1024);
  let marks = new Uint8Array(1024);
  let chars = 0;
  const isStaged = (number: number) => marks[number] === STALE;
  function* staged(): Generator<StagedRow, void, undefined> {
    for (const [name, number] of numbers) {
      if (!isStaged(number)) continue;
      const [key, mpid] = [keyOfName(name), mpids[number] as bigint];
      yield { key, mpid, readMpid: null };
      for (const readMpid of readMpids.of(number)) yield { key, mpid, readMpid };
    }
  }
  return {
    isFull: () => numbers.size >= MOST_KEYS || chars >= MOST_CHARS || numbers.size + readMpids.count >= MOST_STAGED,
    numberOf(name: string, mpid: bigint): number {
      const known = numbers.get(name);
      if (known !== undefined) return known;
      const number = numbers.size;
      if (number === mpids.length) [mpids, marks] = [doubled(mpids, BigInt64Array), doubled(marks, Uint8Array)];
      numbers.set(name, number);
      mpids[number] = mpid;
      chars += name.length;
      return number;
    },
    isOf: (number: number, mpid: bigint) => mpids[number] === mpid,
    mark(number: number, mark: number) {
      marks[number] = (marks[number] as number) | mark;
    },
    addRead: readMpids.add,
    rows(): StagedRows {
      let length = 0;
      for (let number = 0; number < numbers.size; number++) {
        if (isStaged(number)) length += 1 + readMpids.of(number).length;
      }
      return { length, [Symbol.iterator]: staged };
    },
    *ambiguous(): Generator<AmbiguousKey, void, undefined> {
      for (const [name, number] of numbers) {
        if (((marks[number] as number) & AMBIGUOUS) === 0) continue;
        yield { key: keyOfName(name), mpid: mpids[number] as bigint };
      }
    },
  };
}

const NONE: readonly bigint[] = [];

/** MPIDs that rows of a key had when they were read, and shall not have. */
function createReadMpids() {
  const byNumber = new Map<number, bigint[]>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(number: number, readMpid: bigint): void {
      const known = byNumber.get(number);
      if (known?.includes(readMpid) === true) return;
      count += 1;
      if (known === undefined) byNumber.set(number, [readMpid]);
      else known.push(readMpid);
    },
    of: (number: number): readonly bigint[] => byNumber.get(number) ?? NONE,
  };
}

interface Growing {
  readonly length: number;
}

function doubled<Numbers extends Growing & { set(other: Numbers): void }>(
  numbers: Numbers,
  Kind: new (length: number) => Numbers,
): Numbers {
  const larger = new Kind(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
