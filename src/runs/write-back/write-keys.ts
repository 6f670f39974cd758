import { deliverInTransaction, identityTypeOfColumn, isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { AppError, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type {
  KeyCell,
  StagedRows,
  WriteBack,
  WriteBackConflict,
  WriteBackPortions,
  WriteBackRequest,
  WriteBackResult,
} from '../../warehouse/index.ts';
import { addWritten, requireHeld } from '../lifecycle/held-run.ts';
import type { ConnectedExecution } from '../read/execution.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConflictReason } from '../tables.ts';
import type { Addressing } from './address-rows.ts';
import { findErasedMpids } from './erased-mpids.ts';
import type { AmbiguousKey, StagedKeys } from './staged-keys.ts';

/** Most conflicts that a run lists. All are counted. */
const MOST_LISTED = 1000;

export interface KeyWriting extends Pick<ConnectedExecution, 'claimed' | 'session' | 'label' | 'signal'> {
  /** Id of the table among those that hold MPIDs. */
  readonly tableId: bigint;
  readonly addressing: Addressing;
  readonly keys: StagedKeys;
  /** Name of the run's staging table. */
  readonly staging: string;
  /** Takes all keys of the run, for one update. Undefined: each call of `writeKeys` updates the table. */
  readonly portions: WriteBackPortions | undefined;
}

/** The result of a call: written rows of the table, and keys that it could not write. */
interface Written extends WriteBackResult {
  readonly ambiguous: readonly AmbiguousKey[];
}

/**
 * Opens the portions of the run where the connector writes all keys by one update. Returns undefined where it updates the table
 * for each portion.
 */
export function openKeyPortions(
  deps: RunsDeps,
  writing: Omit<KeyWriting, 'portions' | 'keys'>,
): WriteBackPortions | undefined {
  return writerOf(writing).openPortions?.(requestOf(deps, writing));
}

/**
 * Writes the staged keys into the table, or loads them as one more portion, and counts them under the run's fence. Returns the
 * number of conflicts of the run so far; undefined where nothing was staged. Throws LEASE_LOST.
 */
export async function writeKeys(deps: RunsDeps, writing: KeyWriting): Promise<number | undefined> {
  const { rows, ambiguous } = writing.keys.take();
  if (rows.length === 0 && ambiguous.length === 0) return undefined;
  const result = await loadOrApply(deps, writing, rows);
  return await count(deps, writing, { ...result, ambiguous });
}

/** Writes the portions of the run. Returns the number of its conflicts; undefined where it has no portions. Throws LEASE_LOST. */
export async function writePortions(deps: RunsDeps, writing: KeyWriting): Promise<number | undefined> {
  const result = await writing.portions?.apply(writing.signal);
  return result && (await count(deps, writing, { ...result, ambiguous: [] }));
}

async function count(deps: RunsDeps, writing: KeyWriting, written: Written): Promise<number> {
  const counting = { ...writing, deps, written };
  return await deliverInTransaction(deps.store, writing.claimed.workspaceId, (tx) => countWritten(tx, counting));
}

const NOTHING_WRITTEN: WriteBackResult = { updated: 0, conflicts: 0, listed: [] };

async function loadOrApply(deps: RunsDeps, writing: KeyWriting, rows: StagedRows): Promise<WriteBackResult> {
  const { portions, signal } = writing;
  if (portions === undefined) return await writerOf(writing).apply({ ...requestOf(deps, writing, rows), rows }, signal);
  await portions.load(rows, signal);
  return NOTHING_WRITTEN;
}

function writerOf({ session }: Pick<KeyWriting, 'session'>): WriteBack {
  if (session.writeBack === undefined) throw new AppError('INTERNAL', 'The session was not opened for writing back.');
  return session.writeBack;
}

type Requesting = Pick<KeyWriting, 'claimed' | 'tableId' | 'addressing' | 'staging' | 'label'>;

/** Returns the request to write `rows`, or all portions. */
function requestOf(
  { store }: RunsDeps,
  { claimed, tableId, addressing, staging, label }: Requesting,
  rows?: StagedRows,
): Omit<WriteBackRequest, 'rows'> {
  return {
    target: addressing.target,
    staging,
    mostListed: MOST_LISTED,
    // checks fence and erased people once more, right before the update (D-104)
    async beforeUpdate() {
      await requireHeld(store, claimed);
      return await findErasedMpids(store, { ...claimed, tableId }, rows);
    },
    label,
  };
}

interface Counting extends KeyWriting {
  readonly deps: RunsDeps;
  readonly written: Written;
}

async function countWritten(tx: Transaction, counting: Counting): Promise<number> {
  const { claimed, written } = counting;
  // the creation lock comes before the run's, as in a delivery
  const conflicts = await livingConflicts(tx, counting);
  const conflicting = written.conflicts + written.ambiguous.length;
  const total = await addWritten(tx, claimed, { written: written.updated, conflicting });
  await listConflicts(tx, counting, { conflicts, before: Math.min(MOST_LISTED, total - conflicting) });
  return total;
}

interface ListedConflict {
  readonly key: readonly KeyCell[];
  readonly mpid: bigint;
  readonly found: bigint | null;
  readonly reason: ConflictReason;
}

/**
 * Returns the conflicts whose keys name no erased person; the others are only counted.
 * From here on the creation lock is held. A concurrent erasure has therefore finished and is seen, or comes later and finds the
 * listed conflicts.
 */
async function livingConflicts(tx: Transaction, counting: Counting): Promise<readonly ListedConflict[]> {
  const { claimed, addressing, written, deps } = counting;
  const conflicts = [...written.ambiguous.map(ofAmbiguous), ...written.listed.map(ofChanged)].slice(0, MOST_LISTED);
  if (conflicts.length === 0) return [];
  const types = addressing.target.key.map(({ name }) => identityTypeOfColumn(name));
  const identitiesOf = ({ key }: ListedConflict) =>
    types.flatMap((type, index) => {
      const cell = key[index] ?? null;
      return type === undefined || cell === null ? [] : [normaliseIdentity(type, String(cell))].filter(isIdentity);
    });
  const { environment } = claimed.snapshot.pipeline;
  const erased = await deps.identities.findErasedPeople(tx, claimed.workspaceId, () =>
    conflicts.map((conflict) => ({ environment, identities: identitiesOf(conflict), mpid: conflict.mpid })),
  );
  return conflicts.filter((_, index) => !erased.has(index));
}

interface Listing {
  readonly conflicts: readonly ListedConflict[];
  /** Conflicts of the run that were counted before. */
  readonly before: number;
}

async function listConflicts(tx: Transaction, counting: Counting, listing: Listing): Promise<void> {
  const { claimed, tableId, addressing, deps } = counting;
  const conflicts = listing.conflicts.slice(0, MOST_LISTED - listing.before);
  if (conflicts.length === 0) return;
  const columns = addressing.target.key.map(({ name }) => name);
  const keyText = ({ key }: ListedConflict) =>
    stringifyJson(Object.fromEntries(columns.map((name, index) => [name, key[index] ?? null])));
  await tx.execute(
    `INSERT INTO write_back_conflicts (workspace_id, run_id, id, key, mpid, found_mpid, reason, found_on)
     SELECT $1, $2, listed.id + $3, listed.key, listed.mpid, listed.found, listed.reason, $8
     FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::text[]) WITH ORDINALITY
       AS listed (key, mpid, found, reason, id)
     WHERE NOT EXISTS (SELECT FROM erased_mpids AS erased WHERE erased.workspace_id = $1 AND erased.table_id = $9
       AND erased.mpid IN (listed.mpid, listed.found))`,
    [
      claimed.workspaceId,
      claimed.runId,
      listing.before,
      conflicts.map(keyText),
      conflicts.map(({ mpid }) => mpid),
      conflicts.map(({ found }) => found),
      conflicts.map(({ reason }) => reason),
      new Date(deps.clock.nowMs()),
      tableId,
    ],
  );
}

function ofChanged({ key, mpid, found }: WriteBackConflict): ListedConflict {
  if (found === 'gone' || found === 'ambiguous') return { key, mpid, found: null, reason: found };
  return { key, mpid, found: found === 'other' ? null : found, reason: 'changed' };
}

function ofAmbiguous({ key, mpid }: AmbiguousKey): ListedConflict {
  return { key, mpid, found: null, reason: 'ambiguous' };
}

/** Background work, one piece after the other. */
export interface WriteBehind {
  /** Resolves when the previous piece is written and this one has begun. Throws the error of the previous piece. */
  next(): Promise<void>;
  /** Resolves when the last piece is written. Throws its error. */
  end(): Promise<void>;
  /** Resolves when no work is active any more, whatever its outcome. */
  settled(): Promise<void>;
}

/**
 * Runs `write` in the background, one call at a time: a piece is written into the table while the rows of the next are read and
 * resolved.
 * `write` must snapshot its input when called.
 */
export function writeBehind(write: () => Promise<void>): WriteBehind {
  let underWay: Promise<void> = Promise.resolve();
  const next = async () => {
    await underWay;
    underWay = write();
    // the next call throws the error
    underWay.catch(() => undefined);
  };
  return {
    next,
    async end() {
      await next();
      await underWay;
    },
    settled: () => underWay.catch(() => undefined),
  };
}
