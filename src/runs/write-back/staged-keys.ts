import { itemAt } from '../../kernel/index.ts';
import type { Row } from '../../mapping/index.ts';
import type { KeyCell, StagedRow, StagedRows } from '../../warehouse/index.ts';
import type { Addressing } from './address-rows.ts';
import { keyOfName, nameOfKey } from './key-name.ts';
import { NumberedNames } from './numbered-names.ts';

/** Most keys that are staged together: about 40 MB of them, and half of what one call takes. */
const MOST_KEYS = 250_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_STAGED = 400_000;

/** A key whose rows are different people. It is not written. */
export interface AmbiguousKey {
  readonly key: readonly KeyCell[];
  /** MPID of one of them. */
  readonly mpid: bigint;
}

/** Resolved rows, by key, until they are written. */
export interface StagedKeys {
  readonly isFull: boolean;
  /** Adds a row. `mpid` is that of the row's person, who is resolved and committed. */
  add(row: Row, mpid: bigint): void;
  /**
   * Takes everything out: the rows to write, in the form of the write-back contract, and the ambiguous keys. Keys of `shared`
   * are returned once, however often this is called.
   */
  take(): { readonly rows: StagedRows; readonly ambiguous: readonly AmbiguousKey[] };
}

/** Some row of the key has another MPID, or none. */
const STALE = 1;
const AMBIGUOUS = 2;

export interface StagedKeysOptions {
  /** Names of keys that may belong to several people, whatever rows arrive. */
  readonly shared?: ReadonlySet<string>;
  /**
   * The rows are one of several portions. A key whose rows are different people is staged with two MPIDs, so that the warehouse
   * knows it as ambiguous beside all other portions.
   */
  readonly stagesOthers?: boolean;
  readonly portionKeys?: number | undefined;
}

/**
 * Creates the staged keys.
 * Rows of one key are one person if all identities of a row are in its key. Then a row with the right MPID is not kept, so
 * that an unchanged table costs no memory, and no text of a key.
 */
export function createStagedKeys(
  { isWhole, keyOf, readMpidOf }: Pick<Addressing, 'isWhole' | 'keyOf' | 'readMpidOf'>,
  { shared = new Set(), stagesOthers = false, portionKeys = MOST_KEYS }: StagedKeysOptions = {},
): StagedKeys {
  let pile = createPile(stagesOthers);
  const reported = new NumberedNames();
  const isReported = (name: string): boolean => {
    const { count } = reported;
    return reported.numberOf(name) < count;
  };
  return {
    get isFull() {
      return pile.isFull(portionKeys);
    },
    add(row, mpid) {
      const readMpid = readMpidOf(row) ?? null;
      const isRight = readMpid === mpid;
      if (isRight && isWhole) return;
      const name = nameOfKey(keyOf(row));
      const isShared = shared.has(name);
      if (isShared && (isRight || isReported(name))) return;
      pile.add(name, { mpid, readMpid, isShared });
    },
    take() {
      const taken = pile;
      pile = createPile(stagesOthers);
      return { rows: taken.rows(), ambiguous: [...taken.ambiguous()] };
    },
  };
}

interface Resolved {
  readonly mpid: bigint;
  readonly readMpid: bigint | null;
  readonly isShared: boolean;
}

/** Creates a pile of keys that are written together. */
function createPile(stagesOthers: boolean) {
  const { names, numberOf, mpidOf, marksOf, mark } = createMarkedNames();
  const readMpids = createReadMpids();
  /** A second MPID of a key. */
  const others = new Map<number, bigint>();
  const isAmbiguous = (number: number) => (marksOf(number) & AMBIGUOUS) !== 0;
  const isStaged = (number: number) => marksOf(number) === STALE || (others.has(number) && !isAmbiguous(number));
  function* staged(): Generator<StagedRow, void, undefined> {
    for (let number = 0; number < names.count; number++) {
      if (!isStaged(number)) continue;
      const [key, mpid] = [keyOfName(names.name(number)), mpidOf(number)];
      yield { key, mpid, readMpid: null };
      for (const readMpid of readMpids.of(number)) yield { key, mpid, readMpid };
      const other = others.get(number);
      if (other !== undefined) yield { key, mpid: other, readMpid: null };
    }
  }
  return {
    isFull: (mostKeys: number) =>
      names.count >= mostKeys || names.bytes >= MOST_BYTES || names.count + readMpids.count >= MOST_STAGED,
    add(name: string, { mpid, readMpid, isShared }: Resolved): void {
      const number = numberOf(name, mpid);
      const isRight = readMpid === mpid;
      const isOther = mpidOf(number) !== mpid;
      if (isOther && stagesOthers) others.set(number, mpid);
      const isLeft = isShared || (isOther && !stagesOthers);
      mark(number, (isLeft ? AMBIGUOUS : 0) | (isRight ? 0 : STALE));
      if (!isRight && readMpid !== null) readMpids.add(number, readMpid);
    },
    rows(): StagedRows {
      let length = 0;
      for (let number = 0; number < names.count; number++) {
        if (isStaged(number)) length += 1 + readMpids.of(number).length + (others.has(number) ? 1 : 0);
      }
      return { length, [Symbol.iterator]: staged };
    },
    *ambiguous(): Generator<AmbiguousKey, void, undefined> {
      for (let number = 0; number < names.count; number++) {
        if (!isAmbiguous(number)) continue;
        yield { key: keyOfName(names.name(number)), mpid: mpidOf(number) };
      }
    },
  };
}

/** Creates the names of keys, each with its MPID and marks. */
function createMarkedNames() {
  const names = new NumberedNames();
  let mpids = new BigInt64Array(1024);
  let marks = new Uint8Array(1024);
  return {
    names,
    /** Returns the number of a key. The key's first row sets its MPID. */
    numberOf(name: string, mpid: bigint): number {
      const known = names.count;
      const number = names.numberOf(name);
      if (number < known) return number;
      if (number === mpids.length) [mpids, marks] = [doubled(mpids, BigInt64Array), doubled(marks, Uint8Array)];
      mpids[number] = mpid;
      return number;
    },
    mpidOf: (number: number) => itemAt(mpids, number),
    marksOf: (number: number) => itemAt(marks, number),
    mark(number: number, added: number): void {
      marks[number] = itemAt(marks, number) | added;
    },
  };
}

const NONE: readonly bigint[] = [];

/** Longest list; more MPIDs are looked up in a set. A short list takes less memory. */
const MOST_IN_A_LIST = 16;

/** Creates the store of outdated MPIDs that rows of a key had when they were read. */
function createReadMpids() {
  const lists = new Map<number, bigint[]>();
  const sets = new Map<number, Set<bigint>>();
  let count = 0;
  /** Returns whether the MPID is new for the key. */
  const note = (number: number, list: readonly bigint[], readMpid: bigint): boolean => {
    const set = sets.get(number) ?? (list.length < MOST_IN_A_LIST ? undefined : new Set(list));
    if (set === undefined) return !list.includes(readMpid);
    sets.set(number, set);
    const { size } = set;
    return set.add(readMpid).size > size;
  };
  return {
    get count() {
      return count;
    },
    add(number: number, readMpid: bigint): void {
      const list = lists.get(number);
      if (!note(number, list ?? NONE, readMpid)) return;
      count += 1;
      if (list === undefined) lists.set(number, [readMpid]);
      else list.push(readMpid);
    },
    of: (number: number): readonly bigint[] => lists.get(number) ?? NONE,
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
