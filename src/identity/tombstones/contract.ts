// Erased people (D-059, D-062). An erasure takes profiles and identities away and leaves tombstones: keyed hashes, by which
// whoever carries one of the identities again is known and not kept. It is the only place that deletes a profile.
// Order against deliveries: each delivery holds the workspace's creation lock shared from before its first look to its
// commit, and an erasure holds it alone. So a delivery is over before the erasure looks, or begins when it is over.
// Nothing here knows a request: `dsr` says who is erased, and what of it is told.
import type { WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Transaction } from '../../store/index.ts';
import type { Environment, HeldIdentity, Identity } from '../contract.ts';
import type { NamesIn } from '../mentions/names-person.ts';

export interface ProfileId {
  readonly environment: Environment;
  readonly mpid: bigint;
}

export interface Erasure {
  readonly workspaceId: WorkspaceId;
  /** Those that are not there any more are passed over, so that an erasure may be repeated. */
  readonly people: readonly ProfileId[];
  /** Identities that are said to be theirs besides those that their profiles hold: they get tombstones as well. */
  readonly identities?: readonly Identity[];
  /** Those of all of them that get no tombstone: so many carry them that they say nothing of a person. */
  readonly fillers?: readonly Identity[];
  /** Leaves tombstones of the MPIDs and of no identity, where `apply` writes exactly those that there were. */
  readonly buriesMpidsAlone?: boolean;
  readonly nowMs: number;
}

export interface ErasedPerson extends ProfileId {
  /** What the profile held, for a search in other rooms. */
  readonly identities: readonly HeldIdentity[];
  /** What it had held before: searched for like those it held, and with tombstones like them. */
  readonly former: readonly HeldIdentity[];
}

export interface ErasedPeople {
  /** Those that were there. */
  readonly people: readonly ErasedPerson[];
  /** Rows that went: evidence. */
  readonly profiles: number;
  readonly identities: number;
  /** Rows that came; an identity has one in each environment. */
  readonly tombstones: number;
  /** Keys of their identities and MPIDs in their own environments, as hex: what may be kept of them. */
  readonly keys: readonly string[];
}

export interface Tombstone {
  /** 32 hex digits. */
  readonly key: string;
  readonly erasedOn: Date;
}

/** What `apply` did with tombstones of another state of the store. */
export interface AppliedTombstones {
  /** Those that were not there. */
  readonly applied: number;
  /** Keys that a living profile holds: no tombstone was made of them. */
  readonly held: number;
}

export interface Tombstones {
  /**
   * Erases people within a short transaction of `aloneInTransaction`: from its commit on nothing about them is delivered
   * any more. Tombstones are left in both environments for each identity that no other living profile holds there, never
   * for device ids and push tokens. What else the store holds about the people goes by their MPIDs, in this transaction or
   * later ones.
   */
  erasePeople(tx: Transaction, erasure: Erasure): Promise<ErasedPeople>;
  /** Lets the identities come back, in both environments; answers the keys of the tombstones that went. In `aloneInTransaction`. */
  lift(tx: Transaction, workspaceId: WorkspaceId, identities: readonly Identity[]): Promise<readonly string[]>;
  /** The next tombstones behind the key `after`, in key order; without it the first ones. None: there are no more. */
  export(sql: Sql, workspaceId: WorkspaceId, after?: string): Promise<readonly Tombstone[]>;
  /**
   * Writes tombstones of an export, as after a backup was restored, before `findErased` and when whom it finds is gone again.
   * In `aloneInTransaction`.
   */
  apply(tx: Transaction, workspaceId: WorkspaceId, tombstones: readonly Tombstone[]): Promise<AppliedTombstones>;
  /**
   * Yields profiles whose MPIDs have tombstones: they came back with a backup. Reads all profiles, a page at a time; those
   * that were yielded may go meanwhile.
   */
  findErased(sql: Sql, workspaceId: WorkspaceId): AsyncIterable<readonly ProfileId[]>;
  /** Finds in records of nobody's profile whom the tombstones of the workspace are about. */
  namesErased(sql: Sql, workspaceId: WorkspaceId): NamesIn;
}
