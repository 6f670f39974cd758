import type { KeyCell, StagedRow } from '../../warehouse/index.ts';
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
  take(): { readonly rows: readonly StagedRow[]; readonly ambiguous: readonly AmbiguousKey[] };
}

/** Some row of the key does not have its MPID. */
const STALE = 1;
const AMBIGUOUS = 2;

/**
 * `isWhole`: rows of one key are one person. Then a row that has its MPID need not be remembered, so that a table of which
 * nothing has changed costs no memory. `shared`: names of keys that may be of several people, whatever comes here.
 */
export function createStagedKeys(isWhole: boolean, shared: ReadonlySet<string> = new Set()): StagedKeys {
  /** The first row of a key gives it its number. */
  const numbers = new Map<string, number>();
  let mpids = new BigInt64Array(1024);
  let marks = new Uint8Array(1024);
  const readMpids = createReadMpids();
  let chars = 0;
  let staged = 0;

  const numberOf = (name: string, mpid: bigint): number => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    const number = numbers.size;
    if (number === mpids.length) [mpids, marks] = [doubled(mpids, BigInt64Array), doubled(marks, Uint8Array)];
    numbers.set(name, number);
    mpids[number] = mpid;
    marks[number] = 0;
    chars += name.length;
    staged += 1;
    return number;
  };
  return {
    get isFull() {
      return numbers.size >= MOST_KEYS || chars >= MOST_CHARS || staged >= MOST_STAGED;
    },
    add({ name, readMpid, mpid }) {
      const isRight = readMpid === mpid;
      const isShared = shared.has(name);
      if (isRight && (isWhole || isShared)) return;
      const number = numberOf(name, mpid);
      const mark = (mpids[number] === mpid && !isShared ? 0 : AMBIGUOUS) | (isRight ? 0 : STALE);
      marks[number] = (marks[number] as number) | mark;
      if (!isRight && readMpid !== null && readMpids.add(number, readMpid)) staged += 1;
    },
    take() {
      const rows: StagedRow[] = [];
      const ambiguous: AmbiguousKey[] = [];
      for (const [name, number] of numbers) {
        const mark = marks[number] as number;
        const mpid = mpids[number] as bigint;
        if ((mark & AMBIGUOUS) !== 0) ambiguous.push({ key: keyOfName(name), mpid });
        else if (mark === STALE) pushStaged(rows, { key: keyOfName(name), mpid }, readMpids.of(number));
      }
      numbers.clear();
      readMpids.clear();
      [chars, staged] = [0, 0];
      return { rows, ambiguous };
    },
  };
}

/** MPIDs that rows of a key had when they were read, and shall not have. */
function createReadMpids() {
  const byNumber = new Map<number, bigint[]>();
  return {
    /** false: it is there already. */
    add(number: number, readMpid: bigint): boolean {
      const known = byNumber.get(number);
      if (known?.includes(readMpid) === true) return false;
      if (known === undefined) byNumber.set(number, [readMpid]);
      else known.push(readMpid);
      return true;
    },
    of: (number: number): readonly bigint[] => byNumber.get(number) ?? [],
    clear: () => byNumber.clear(),
  };
}

function pushStaged(rows: StagedRow[], row: AmbiguousKey, readMpids: readonly bigint[]): void {
  rows.push({ ...row, readMpid: null });
  for (const readMpid of readMpids) rows.push({ ...row, readMpid });
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
