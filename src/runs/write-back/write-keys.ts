import { deliverInTransaction, identityTypeOfColumn, isIdentity, normaliseIdentity } from '../../identity/index.ts';
import { AppError, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { KeyCell, StagedRows, WriteBackConflict, WriteBackResult } from '../../warehouse/index.ts';
import type { RunLease } from '../lifecycle/claim-run.ts';
import { addWritten, requireHeld } from '../lifecycle/held-run.ts';
import type { ConnectedExecution } from '../read/execution.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { ConflictReason } from '../tables.ts';
import type { Addressing } from './address-rows.ts';
import { findErasedMpids, type TableKey } from './erased-mpids.ts';
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
}

/** The result of a call: written rows of the table, and keys that it could not write. */
interface Written extends WriteBackResult {
  readonly ambiguous: readonly AmbiguousKey[];
}

/**
 * Writes the staged keys into the table and counts them under the run's fence. Returns the number of conflicts of the run so
 * far; undefined where nothing was staged. Throws LEASE_LOST.
 */
export async function writeKeys(deps: RunsDeps, writing: KeyWriting): Promise<number | undefined> {
  const { rows, ambiguous } = writing.keys.take();
  if (rows.length === 0 && ambiguous.length === 0) return undefined;
  const result = await apply(deps, writing, rows);
  const counting = { ...writing, deps, written: { ...result, ambiguous } };
  return await deliverInTransaction(deps.store, writing.claimed.workspaceId, (tx) => countWritten(tx, counting));
}

async function apply(
  deps: RunsDeps,
  { claimed, tableId, session, addressing, staging, label, signal }: KeyWriting,
  rows: StagedRows,
): Promise<WriteBackResult> {
  if (session.writeBack === undefined) throw new AppError('INTERNAL', 'The session was not opened for writing back.');
  return await session.writeBack.apply(
    {
      target: addressing.target,
      rows,
      staging,
      mostListed: MOST_LISTED,
      beforeUpdate: () => recheckBeforeUpdate(deps, { ...claimed, tableId }, rows),
      label,
    },
    signal,
  );
}

/** Checks fence and erased people once more, right before the update (D-104). */
async function recheckBeforeUpdate({ store }: RunsDeps, claimed: RunLease & TableKey, rows: StagedRows) {
  await requireHeld(store, claimed);
  return await findErasedMpids(store, claimed, rows);
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
  if (found === 'gone') return { key, mpid, found: null, reason: 'gone' };
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
