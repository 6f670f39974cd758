import type { KeyCell, StagedRow } from '../../warehouse/index.ts';
import type { ResolvedRow } from './resolved-rows.ts';

/** Keys that go to the warehouse together: about 80 MB of them, and half of what one call takes. */
const MOST_KEYS = 250_000;
const MOST_CHARS = 32 * 1024 * 1024;
const MOST_STAGED = 400_000;

/** A key whose rows are different people: nothing is written for it. */
export interface AmbiguousKey {
  readonly key: readonly KeyCell[];
  /** One of them. */
  readonly mpid: bigint;
}

/** Rows that were resolved, by key, until they are written. */
export interface StagedKeys {
  readonly isFull: boolean;
  add(rows: readonly ResolvedRow[]): void;
  /** What is to be written, as the contract of writing back wants it, and the keys that cannot be; empties it. */
  take(): { readonly rows: readonly StagedRow[]; readonly ambiguous: readonly AmbiguousKey[] };
}

interface Entry {
  readonly key: readonly KeyCell[];
  readonly mpid: bigint;
  /** MPIDs that rows of the key had when they were read, and shall not have. */
  readonly readMpids: bigint[];
  /** Some row of the key does not have its MPID. */
  isStale: boolean;
  isAmbiguous: boolean;
}

/**
 * `isWhole`: rows of one key are one person. Then a row that has its MPID need not be remembered, so that a table of which
 * nothing has changed costs no memory.
 */
export function createStagedKeys(isWhole: boolean): StagedKeys {
  let entries = new Map<string, Entry>();
  let chars = 0;
  let staged = 0;
  const addRow = ({ key, readMpid, mpid }: ResolvedRow) => {
    const isRight = readMpid === mpid;
    if (isRight && isWhole) return;
    const name = nameOf(key);
    let entry = entries.get(name);
    if (entry === undefined) {
      entry = { key, mpid, readMpids: [], isStale: false, isAmbiguous: false };
      entries.set(name, entry);
      chars += name.length;
      staged += 1;
    }
    if (entry.mpid !== mpid) entry.isAmbiguous = true;
    if (isRight) return;
    entry.isStale = true;
    if (readMpid === null || entry.readMpids.includes(readMpid)) return;
    entry.readMpids.push(readMpid);
    staged += 1;
  };
  return {
    get isFull() {
      return entries.size >= MOST_KEYS || chars >= MOST_CHARS || staged >= MOST_STAGED;
    },
    add: (rows) => rows.forEach(addRow),
    take() {
      const taken = [...entries.values()];
      entries = new Map();
      [chars, staged] = [0, 0];
      return {
        rows: taken.flatMap((entry) => (entry.isStale && !entry.isAmbiguous ? stagedRows(entry) : [])),
        ambiguous: taken.filter(({ isAmbiguous }) => isAmbiguous),
      };
    },
  };
}

function stagedRows({ key, mpid, readMpids }: Entry): readonly StagedRow[] {
  const first = { key, readMpid: null, mpid };
  return readMpids.length === 0 ? [first] : [first, ...readMpids.map((readMpid) => ({ key, readMpid, mpid }))];
}

/** No two keys have the same: each text says how long it is. */
function nameOf(key: readonly KeyCell[]): string {
  let name = '';
  for (const cell of key) {
    if (cell === null) name += '-';
    else name += typeof cell === 'string' ? `${cell.length}:${cell}` : `#${cell};`;
  }
  return name;
}
