// The one way to resolve a person. Pipelines, batches, identity requests and write-back all hand in people and get MPIDs.
// This room knows profiles, identities, attributes and their times; it knows no pipeline, no batch and no HTTP.
// Terminology: an *identity* is a type and a value; its *key* is a keyed hash with the environment; its *owner* stands in
// slot 0; a *login* type (customer_id) protects the profile that holds it.
import type { Micros, WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';

export type Environment = 'production' | 'development';

/** Internal names; `identity-types.ts` lists them with their wire spellings. */
export type IdentityType = string;

export interface Identity {
  readonly type: IdentityType;
  /** As given, trimmed; matched in its normal form (e-mail in lower case). */
  readonly value: string;
}

/**
 * Attributes of one person. `names` is shared by all people of a chunk that have the same columns; `texts[i]` is the value
 * of `names[i]` as JSON text (exact numbers stay exact), null removes the attribute, undefined leaves it alone.
 */
export interface AttributeSet {
  readonly names: readonly string[];
  readonly texts: readonly (string | null | undefined)[];
}

export interface Person {
  readonly identities: readonly Identity[];
  /** An MPID that came with the row; rulings §2 says when it wins. */
  readonly mpid?: bigint;
  readonly attributes: AttributeSet;
  /** When the attributes were set. */
  readonly setAt: Micros;
}

export type PersonOutcome =
  | { readonly mpid: bigint }
  /** rule: `identity_missing`, `mpid_unknown`, `mpid_contradicts_login` … */
  | { readonly rule: string; readonly field: string; readonly reason: string };

export interface ResolutionScope {
  readonly workspaceId: WorkspaceId;
  readonly environment: Environment;
  /** `full`: a value that is there already keeps its time (rulings §3), and the row's hash spares the write. */
  readonly mode: 'full' | 'incremental';
}

/** What one delivery did, for counters and tests. */
export interface Delivered {
  /** One a person, in order. */
  readonly outcomes: readonly PersonOutcome[];
  readonly createdProfiles: number;
  readonly changedProfiles: number;
}

export interface Identities {
  /**
   * Resolves and merges a chunk inside the caller's transaction: one look-up, the strategy in memory in row order, COPY
   * of what is new, one UPDATE of what changed. Throws STORE_CONFLICT when it lost a race; the caller's transaction then
   * rolls back and `exclusive` makes the second try alone in its workspace.
   */
  deliver(
    tx: Transaction,
    scope: ResolutionScope,
    chunk: { readonly people: readonly Person[]; readonly exclusive: boolean },
  ): Promise<Delivered>;
}
