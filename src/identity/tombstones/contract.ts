// Erased people (D-059, D-062). An erasure deletes profiles and identities and leaves tombstones: keyed hashes by which anybody
// who carries one of the identities again is recognised and not kept. Only this folder deletes profiles. Order against
// deliveries: each delivery holds the workspace's creation lock shared from before its first look-up to its commit, and an
// erasure holds it alone. So a delivery either ends before the erasure looks, or begins after it. Nothing here knows a request:
// `dsr` decides who is erased, and what is told about it.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Environment, HeldIdentity, Identity } from '../contract.ts';
import type { MentionSearch } from '../mentions/mention-matcher.ts';

export interface ProfileId {
  readonly environment: Environment;
  readonly mpid: bigint;
}

export interface Erasure {
  readonly workspaceId: WorkspaceId;
  /** Profiles to erase. Missing ones are skipped, so that an erasure may be repeated. */
  readonly people: readonly ProfileId[];
  /** Further identities that are said to be theirs. They get tombstones like those that their profiles hold. */
  readonly identities?: readonly Identity[];
  /** Identities among all of these that get no tombstone: so many people carry them that they identify nobody. */
  readonly fillers?: readonly Identity[];
  /** Leaves tombstones of the MPIDs alone and of no identity. `apply` writes exactly the tombstones that existed before. */
  readonly buriesMpidsAlone?: boolean;
  readonly nowMs: number;
}

export interface ErasedPerson extends ProfileId {
  /** Identities that the profile held, for a search in other rooms. */
  readonly identities: readonly HeldIdentity[];
  /** Identities that it had given up. They are searched for and get tombstones like those it held. */
  readonly former: readonly HeldIdentity[];
}

export interface ErasedPeople {
  /** People erased, without those that were missing. */
  readonly people: readonly ErasedPerson[];
  /** Number of deleted rows, as evidence. */
  readonly profiles: number;
  readonly identities: number;
  /** Number of new rows; an identity has one in each environment. */
  readonly tombstones: number;
  /** Keys of their identities and MPIDs in their own environments, as hex: all that may be kept of them. */
  readonly keys: readonly string[];
}

export interface Tombstone {
  /** 32 hex digits. */
  readonly key: string;
  readonly erasedOn: Date;
}

/** The result of `apply`, which writes tombstones of another state of the store. */
export interface AppliedTombstones {
  /** Number of tombstones that were missing. */
  readonly applied: number;
  /** Number of keys that a living profile holds and that therefore got no tombstone. */
  readonly held: number;
}

export interface Tombstones {
  /**
   * Erases people within a short transaction of `runExclusively`. After its commit nothing about them is delivered any
   * more. Tombstones are left in both environments for each identity that no other living profile holds there, never for device
   * ids and push tokens. Whatever else the store holds about the people is deleted by their MPIDs, in this transaction or later
   * ones.
   */
  erasePeople(tx: Transaction, erasure: Erasure): Promise<ErasedPeople>;
  /**
   * Lets identities come back, in both environments, and returns the keys of the deleted tombstones. Runs in
   * `runExclusively`.
   */
  lift(tx: Transaction, workspaceId: WorkspaceId, identities: readonly Identity[]): Promise<readonly string[]>;
  /** Returns a page of tombstones behind the key `after`, in key order; the first page without `after`; none at the end. */
  export(sql: Sql, workspaceId: WorkspaceId, after?: string): Promise<readonly Tombstone[]>;
  /**
   * Writes the tombstones of an export after a backup was restored: once before `findErasedProfiles`, and again when the people it
   * finds are erased. Runs in `runExclusively`.
   */
  apply(tx: Transaction, workspaceId: WorkspaceId, tombstones: readonly Tombstone[]): Promise<AppliedTombstones>;
  /**
   * Yields profiles whose MPIDs have tombstones: they came back with a backup. Reads all profiles, a page at a time; yielded
   * profiles may be deleted meanwhile.
   */
  findErasedProfiles(sql: Sql, workspaceId: WorkspaceId): AsyncIterable<readonly ProfileId[]>;
  /** Finds in records outside of profiles the people whom the tombstones of the workspace are about. */
  searchErased(sql: Sql, workspaceId: WorkspaceId): MentionSearch;
}
