// The one way to resolve a person. Pipelines, batches, identity requests and write-back all hand in people and get MPIDs.
// This room knows profiles, identities, attributes and their times; it knows no pipeline, no batch and no HTTP.
// Terminology: an *identity* is a type and a value; its *key* is a keyed hash with the environment; its *owner* stands in
// slot 0; a *login* type (customer_id) has one owner and protects the profile that holds it; a *tombstone* is the key of an
// identity of somebody who was erased (tombstones/).
import type { AppError, Micros, WorkspaceId } from '../kernel/index.ts';
import type { Sql, Transaction } from '../store/index.ts';
import type { IdentityType } from './identity-types.ts';
import type { PeopleCollector, PreparedPeople, ResolutionScope } from './prepared-people.ts';

export type Environment = 'production' | 'development';

export interface Identity {
  readonly type: IdentityType;
  /** The value as given, trimmed (`normaliseIdentity`). Matching uses its normal form (e-mail in lower case). */
  readonly value: string;
}

/**
 * Attributes of one person. `names` is shared by all people of a chunk that have the same columns: one array object, so
 * that what depends on it is worked out once. `texts[i]` is the value of `names[i]` as JSON text without outer white space
 * (exact numbers stay exact), null removes the attribute, undefined leaves it alone. No name stands twice.
 */
export interface AttributeSet {
  readonly names: readonly string[];
  readonly texts: readonly (string | null | undefined)[];
}

export interface Person {
  /** Normalised, each type and value once. */
  readonly identities: readonly Identity[];
  /** An MPID that came with the row. D-035 says when it wins. */
  readonly mpid?: bigint;
  readonly attributes: AttributeSet;
  /** Time at which the attributes were set. */
  readonly setAt: Micros;
  /**
   * The consent of the person, as the text of a batch's consent_state without white space, each purpose with an integer
   * `timestamp_unixtime_ms`. The newest of each purpose wins. Absent without consent.
   */
  readonly consent?: string;
  /**
   * A caller with a public key alone named the person, which proves nothing. Such an identity on a profile with a login
   * identity is *unverified*: nobody else is found by it, until another key, a feed or a pipeline brings it too.
   */
  readonly isPublic?: boolean;
  /** Options of an identity request; absent for rows and batches. */
  readonly request?: PersonRequest;
}

/** A person whom a record mentions outside of a delivery. */
export interface MentionedPerson extends Pick<Person, 'identities' | 'mpid'> {
  readonly environment: Environment;
  /** Further identifying texts, from fields that do not tell the identity type (`collectMentions`). */
  readonly untypedTexts?: readonly string[];
}

/** The options of an identity request. Rows and batches have none: they find or create a person and want the MPID only. */
export interface PersonRequest {
  /** Answers an anonymous profile: a new one, or where the strategy returns to it that of one of the device ids. */
  readonly isLogout: boolean;
  /** Creates, adds and sets nothing; who finds nobody fails with `nobody_found`. */
  readonly isReadOnly: boolean;
  /** The actor of a login that lets an erased identity come back (setting `new_login_lifts`); else absent. */
  readonly liftsAs?: string;
}

export type PersonRule =
  | 'identity_missing'
  | 'mpid_unknown'
  | 'mpid_contradicts_login'
  | 'nobody_found'
  | 'profile_full';

export interface PersonFailure {
  readonly rule: PersonRule;
  /** Type of the identity at fault, `mpid`, `user_identities` or `user_attributes`; empty for the whole person. */
  readonly field: string;
  readonly reason: string;
}

/** The outcome for a row that carries an identity of an erased person: nothing of it is kept (D-059). */
export interface PersonErased {
  readonly erased: true;
}

export interface PersonFound {
  readonly mpid: bigint;
  /** The answer to the person's request; absent where the person came without one. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly isCreated: boolean;
  /** The profile has a login identity of the request. */
  readonly isLoggedIn: boolean;
  /** Identities of the request that the profile held before, as the request wrote them. */
  readonly matched: readonly Identity[];
}

export type PersonOutcome = PersonFound | PersonErased | PersonFailure;

export type StrategyName = 'profile_conversion' | 'profile_link' | 'profile_isolation' | 'best_match';

/** Workspace settings of resolution (D-042, D-043), as `policyOf` makes them. */
export interface ResolutionPolicy {
  readonly strategy: StrategyName;
  /** Types that find profiles, strongest first; a type that is not listed is kept on the profile but finds none. */
  readonly priority: readonly IdentityType[];
  /** Types with one owner each, which protect the profile that holds them. Each must stand in the priority. */
  readonly loginTypes: readonly IdentityType[];
  /** Bounds of a profile; without them it may grow for ever. */
  readonly bounds?: ProfileBounds;
}

/** The most that a profile may hold. */
export interface ProfileBounds {
  readonly identities: number;
  readonly attributes: number;
  /** Values and names, and the times at which each was set or removed. */
  readonly attributeBytes: number;
}

export interface ProfileScope {
  readonly workspaceId: WorkspaceId;
  readonly environment: Environment;
}

/** Takes `from` off the profile and puts `to` on it: without `from` it adds, without `to` it removes. */
export interface IdentityChange {
  readonly from: Identity | undefined;
  readonly to: Identity | undefined;
}

export interface ProfileModification {
  readonly mpid: bigint;
  /** Changes, applied in this order. */
  readonly changes: readonly IdentityChange[];
  /** The caller has a public key alone, which proves nothing: a profile that holds a login identity refuses the changes. */
  readonly isPublic: boolean;
}

export interface ModifyGroup extends ProfileScope {
  /** Policy of the workspace, by default `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
  readonly modifications: readonly ProfileModification[];
}

/** The outcome of one modification: undefined where all changes were made. Otherwise none was made, and this tells why. */
export type ModifyOutcome = AppError | PersonErased | undefined;

/** The result of one delivery, for counters and tests. */
export interface Delivered {
  /** One a person, in order. */
  readonly outcomes: readonly PersonOutcome[];
  readonly createdProfiles: number;
  readonly changedProfiles: number;
}

/** The result of a request's person resolved without writing. */
export interface ReadOnlyResult {
  readonly outcome: PersonOutcome;
  /** The same request, were it not read-only, would change nothing. */
  readonly isSettled: boolean;
}

export interface ProfileAttribute {
  readonly name: string;
  /** JSON text. */
  readonly value: string;
  readonly setAt: Micros;
}

/** An identity of a profile. */
export interface HeldIdentity extends Identity {
  /** Present where only public keys brought the identity and the profile holds a login identity. */
  readonly isUnverified?: true;
}

export interface Profile extends ProfileScope {
  readonly mpid: bigint;
  /** The newest first. */
  readonly identities: readonly HeldIdentity[];
  readonly attributes: readonly ProfileAttribute[];
  /** The stored consent_state as JSON text; null without consent. */
  readonly consent: string | null;
  readonly holdsLogin: boolean;
  /** The anonymous profile that it was made beside (strategy `profile_link`). */
  readonly sourceMpid: bigint | null;
  readonly createdOn: Date;
}

export interface Identities {
  /** Begins a chunk for a caller that takes its own turns of the event loop. */
  collect(scope: ResolutionScope): PeopleCollector;
  /**
   * Hashes and sorts in slices, so that sockets are served meanwhile. Takes each person when its turn comes and keeps only what
   * is needed. Pure: the result may be delivered more than once.
   */
  prepare(scope: ResolutionScope, people: Iterable<Person>): Promise<PreparedPeople>;
  /**
   * Resolves and merges a chunk inside the caller's transaction: one look-up, the strategy in memory in row order, COPY of what
   * is new, one UPDATE of what changed. Throws STORE_CONFLICT where it lost a race. The caller's transaction then rolls back
   * and repeats with `exclusive`, which makes the second try alone in its workspace. `deliverInTransaction` does both tries.
   */
  deliver(tx: Transaction, prepared: PreparedPeople, exclusive: boolean): Promise<Delivered>;
  /**
   * Resolves people whose requests are all read-only, outside of any transaction and without taking a new MPID. `isFinal`: some
   * requests are answered by this result alone, so erased people are looked up too. Unsettled people are delivered next.
   */
  resolveReadOnly(sql: Sql, prepared: PreparedPeople, isFinal: boolean): Promise<readonly ReadOnlyResult[]>;
  /**
   * Changes identities of existing profiles, one request after the other, inside the caller's transaction. Returns one outcome
   * a request: undefined where all its changes were made, else why none was. Throws as `deliver` does.
   */
  modify(tx: Transaction, group: ModifyGroup, exclusive: boolean): Promise<readonly ModifyOutcome[]>;
  /**
   * Returns the indexes of the people who were erased. It serves records that are kept although they cannot be delivered (a
   * failed row, a rejected batch), in the transaction that keeps them. `people` is iterated only where the workspace has
   * tombstones, with turns of the event loop in between.
   */
  findErasedPeople(
    tx: Transaction,
    workspaceId: WorkspaceId,
    people: () => Iterable<MentionedPerson>,
  ): Promise<ReadonlySet<number>>;
  /** Returns an MPID that no profile has. */
  newMpid(): bigint;
  /** Returns the profiles that hold the identity verified, its owner first; without a page all of them. */
  findProfiles(sql: Sql, scope: ProfileScope & Partial<ProfilePage>, identity: Identity): Promise<readonly Profile[]>;
}

export interface ProfilePage {
  readonly limit: number;
  readonly offset: number;
}
