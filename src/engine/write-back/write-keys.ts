import { AppError, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { KeyCell, Session, StagedRows, WriteBackConflict, WriteBackResult } from '../../warehouse/index.ts';
import type { ClaimedRun, RunLease } from '../claim-run.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { leaseLost } from '../lease-lost.ts';
import type { Addressing } from './address-rows.ts';
import { erasedAmong, type TableKey } from './erased-mpids.ts';
import type { AmbiguousKey, StagedKeys } from './staged-keys.ts';
import { stagingName } from './staging-names.ts';

/** Conflicts that a run lists; all are counted. */
const MOST_LISTED = 1000;

export interface KeyWriting {
  readonly claimed: ClaimedRun;
  /** Of the table, among those that hold MPIDs. */
  readonly tableId: bigint;
  readonly session: Session;
  readonly addressing: Addressing;
  readonly keys: StagedKeys;
  readonly signal: AbortSignal;
}

/** What a call has written: rows of the table, and keys that it could not write. */
interface Written extends WriteBackResult {
  readonly ambiguous: readonly AmbiguousKey[];
}

/** Writes what is staged into the table and counts it under the run's fence. Throws LEASE_LOST. */
export async function writeKeys(deps: EngineDeps, writing: KeyWriting): Promise<void> {
  const { rows, ambiguous } = writing.keys.take();
  if (rows.length === 0 && ambiguous.length === 0) return;
  const result = await apply(deps, writing, rows);
  await deps.store.transaction((tx) => countWritten(tx, { ...writing, deps, written: { ...result, ambiguous } }));
}

async function apply(
  deps: EngineDeps,
  { claimed, tableId, session, addressing, signal }: KeyWriting,
  rows: StagedRows,
): Promise<WriteBackResult> {
  if (session.writeBack === undefined) throw new AppError('INTERNAL', 'The session was not opened to write back.');
  return await session.writeBack.apply(
    {
      ...{ target: addressing.target, rows, staging: stagingName(deps, claimed), mostListed: MOST_LISTED },
      beforeUpdate: () => lookOnceMore(deps, { ...claimed, tableId }, rows),
      label: { pipeline: claimed.snapshot.pipeline.id, run: String(claimed.runId) },
    },
    signal,
  );
}

/** Rulings §7, Write-back: fence and erased people, right before the update. */
async function lookOnceMore({ store }: EngineDeps, claimed: RunLease & TableKey, rows: StagedRows) {
  const [mine] = await store.query(
    "SELECT id FROM pipeline_runs WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'",
    [claimed.workspaceId, claimed.runId, claimed.fence],
  );
  if (mine === undefined) throw leaseLost(claimed);
  return await erasedAmong(store, claimed, rows);
}

interface Counting extends KeyWriting {
  readonly deps: EngineDeps;
  readonly written: Written;
}

async function countWritten(tx: Transaction, counting: Counting): Promise<void> {
  const { claimed, written } = counting;
  const [sums] = await tx.query<{ conflicting: bigint }>(
    `UPDATE pipeline_runs
     SET written_records = written_records + $4, conflicting_records = conflicting_records + $5
     WHERE workspace_id = $1 AND id = $2 AND fence = $3 AND status = 'running'
     RETURNING conflicting_records AS conflicting`,
    [
      ...[claimed.workspaceId, claimed.runId, claimed.fence],
      ...[written.updated, written.conflicts + written.ambiguous.length],
    ],
  );
  if (sums === undefined) throw leaseLost(claimed);
  const before = Number(sums.conflicting) - written.conflicts - written.ambiguous.length;
  await listConflicts(tx, counting, Math.max(0, MOST_LISTED - before));
}

interface ListedConflict {
  readonly key: readonly KeyCell[];
  readonly mpid: bigint;
  readonly found: bigint | null;
  readonly reason: 'changed' | 'gone' | 'ambiguous';
}

async function listConflicts(tx: Transaction, counting: Counting, most: number): Promise<void> {
  const { claimed, addressing, written, deps } = counting;
  const conflicts = [...written.ambiguous.map(ofAmbiguous), ...written.listed.map(ofChanged)].slice(0, most);
  if (conflicts.length === 0) return;
  const after = MOST_LISTED - most;
  const columns = addressing.target.key.map(({ name }) => name);
  const keyText = ({ key }: ListedConflict) =>
    stringifyJson(Object.fromEntries(columns.map((name, index) => [name, key[index] ?? null])));
  await tx.execute(
    `INSERT INTO write_back_conflicts (workspace_id, run_id, id, key, mpid, found_mpid, reason, found_on)
     SELECT $1, $2, listed.id + $3, listed.key, listed.mpid, listed.found, listed.reason, $8
     FROM unnest($4::text[], $5::bigint[], $6::bigint[], $7::text[]) WITH ORDINALITY
       AS listed (key, mpid, found, reason, id)`,
    [
      ...[claimed.workspaceId, claimed.runId, after],
      conflicts.map(keyText),
      conflicts.map(({ mpid }) => mpid),
      conflicts.map(({ found }) => found),
      conflicts.map(({ reason }) => reason),
      new Date(deps.clock.nowMs()),
    ],
  );
}

function ofChanged({ key, mpid, found }: WriteBackConflict): ListedConflict {
  return found === 'gone' ? { key, mpid, found: null, reason: 'gone' } : { key, mpid, found, reason: 'changed' };
}

function ofAmbiguous({ key, mpid }: AmbiguousKey): ListedConflict {
  return { key, mpid, found: null, reason: 'ambiguous' };
}
