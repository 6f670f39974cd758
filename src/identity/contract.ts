// The one way to resolve a person. Pipelines, batches, identity requests and write-back all hand in people and get MPIDs.
// This room knows profiles, identities, attributes and their times; it knows no pipeline, no batch and no HTTP.
// Terminology: an *identity* is a type and a value; its *key* is a keyed hash with the environment; its *owner* stands in
// slot 0; a *login* type (customer_id) has one owner and protects the profile that holds it; a *tombstone* is the key of an
// identity of somebody who was erased (tombstones/).
import type { AppError, Micros, WorkspaceId } from '../kernel/index.ts';
import type { Sql, Transaction } from '../store/index.ts';
import type { IdentityType } from './identity-types.ts';
import type { Columns } from './profiles/attribute-text.ts';
import type { Time } from './profiles/attribute-times.ts';

export type Environment = 'production' | 'development';

export interface Identity {
  readonly type: IdentityType;
  /** As given, trimmed (`normaliseIdentity`); matched in its normal form (e-mail in lower case). */
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
  /** When the attributes were set. */
  readonly setAt: Micros;
  /**
   * The consent of the person, as the text of a batch's consent_state without white space, each purpose with an integer
   * `timestamp_unixtime_ms`. The newest of each purpose wins. Absent without consent.
   */
  readonly consent?: string;
  /**
   * Whether a public key alone says all this, which proves nothing. An identity that only public keys brought to a profile
   * with a login identity is *unverified*: nobody else is found by it, until another key, a feed or a pipeline brings it too.
   */
  readonly isPublic?: boolean;
  /** Of an identity request only. */
  readonly request?: PersonRequest;
}

/** Whom something names that is no delivery. */
export interface NamedPerson extends Pick<Person, 'identities' | 'mpid'> {
  readonly environment: Environment;
  /** Texts beside them that stand for a person in whatever field, so that any type may be meant (`whoIsNamed`). */
  readonly mentions?: readonly string[];
}

/** How an identity request differs from a row or a batch, which is found or else made, and wants to know the MPID only. */
export interface PersonRequest {
  /** Answers an anonymous profile: a new one, or where the strategy returns to it that of one of the device ids. */
  readonly isLogout: boolean;
  /** Creates, adds and sets nothing; who finds nobody fails with `nobody_found`. */
  readonly isReadOnly: boolean;
  /** Who logs in, where that lets an erased identity come back (the workspace's `new_login_lifts`); absent: it does not. */
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
  /** Where the person came with a request. */
  readonly answer?: Answer;
}

export interface Answer {
  readonly isCreated: boolean;
  /** Whether the profile holds a login identity that the request carries. */
  readonly isLoggedIn: boolean;
  /** Those of the request's identities that the profile held before, as the request wrote them. */
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
  /** Absent: a profile may grow without a bound. */
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

export interface ResolutionScope extends ProfileScope {
  /** The mode `full` keeps the time of a value that is stored already (D-045); the row's hash spares read and write. */
  readonly mode: 'full' | 'incremental';
  /** Absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

/** People with their keys, hashed and sorted: everything that needs no store, so it can be done while another chunk commits. */
export interface PreparedPeople {
  readonly scope: ResolutionScope;
  readonly count: number;
  /** For this room only. */
  readonly keys: ChunkKeys;
  readonly rows: ChunkRows;
}

/**
 * Identities of a chunk. A *place* is one identity of one person: person i's stand at `starts[i]` up to
 * `starts[i + 1] - 1`, in the person's order. An *ordinal* numbers the distinct keys in key order.
 */
export interface ChunkKeys {
  /** 16 bytes a key, one behind the other, ascending, no two equal: the key of an ordinal begins at 16 × ordinal. */
  readonly sorted: Buffer;
  readonly starts: Int32Array;
  /** By place. */
  readonly ordinals: Int32Array;
  /** By place: the rank of its type in the priority, 0 the strongest; `FINDS_NONE` for a type that finds no profile. */
  readonly ranks: Uint8Array;
  /** By place: the type as an index of IDENTITY_TYPES. */
  readonly types: Uint8Array;
  /** By place. */
  readonly values: readonly string[];
  /** Places of what public keys say. Login identities are none of them: they say whose the profile is. */
  readonly publicPlaces: ReadonlySet<number>;
}

/** What people say besides who they are, by person. */
export interface ChunkRows {
  /** Attributes as the text of a JSON object; those that are removed are not in it. */
  readonly texts: readonly string[];
  /** Nobody sets or removes an attribute, and no row is to be remembered: attributes need not be read. As in most batches. */
  readonly areSilent: boolean;
  /** Of the attributes that the text may hold, in its order. */
  readonly columns: readonly Columns[];
  readonly setAt: readonly Time[];
  /** Hash of names, values and identities, 16 bytes each, one behind the other; `full` only. */
  readonly hashes: Buffer | undefined;
  /** Key texts of the attributes that are removed. */
  readonly removals: ReadonlyMap<number, readonly string[]>;
  readonly mpids: ReadonlyMap<number, bigint>;
  readonly consents: ReadonlyMap<number, string>;
  readonly requests: ReadonlyMap<number, PersonRequest>;
}

/** Takes `from` off the profile and puts `to` on it: without `from` it adds, without `to` it removes. */
export interface IdentityChange {
  readonly from: Identity | undefined;
  readonly to: Identity | undefined;
}

export interface ProfileModification {
  readonly mpid: bigint;
  /** In this order. */
  readonly changes: readonly IdentityChange[];
  /** Of a caller with a public key alone, who proved nothing: refuses a profile that holds a login identity. */
  readonly isPublic: boolean;
}

export interface ModifyGroup extends ProfileScope {
  /** Absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
  readonly modifications: readonly ProfileModification[];
}

/** Undefined: all changes were made. Otherwise none was, as one is wrong, or would bring an erased identity back. */
export type ModifyOutcome = AppError | PersonErased | undefined;

/** What one delivery did, for counters and tests. */
export interface Delivered {
  /** One a person, in order. */
  readonly outcomes: readonly PersonOutcome[];
  readonly createdProfiles: number;
  readonly changedProfiles: number;
}

/** What a look at a request's person found. */
export interface Look {
  readonly outcome: PersonOutcome;
  /** Whether the same request, were it not read-only, would change nothing. */
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
  /** Only public keys brought it, and the profile holds a login identity. */
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

/** Where the 16 bytes of a row's hash stand: at 16 × index. Equal hashes, equal rows under one mapping. */
export interface HashOfRow {
  readonly hashes: Buffer;
  readonly index: number;
}

/** People that come one by one; of each only what is needed is kept. */
export interface PeopleCollector {
  /** `row`, where the caller has hashed all that makes the person, spares a hash of it. All of a scope have one, or none. */
  add(person: Person, row?: HashOfRow): void;
  finish(): PreparedPeople;
}

export interface Identities {
  /** Begins a chunk for a caller that takes its own turns of the event loop. */
  collect(scope: ResolutionScope): PeopleCollector;
  /**
   * Hashes and sorts in slices, so that sockets are served meanwhile; each person is asked for when it is its turn, and
   * nothing of it is kept that is not needed. Pure: the result may be delivered more than once.
   */
  prepare(scope: ResolutionScope, people: Iterable<Person>): Promise<PreparedPeople>;
  /**
   * Resolves and merges a chunk inside the caller's transaction: one look-up, the strategy in memory in row order, COPY
   * of what is new, one UPDATE of what changed. Throws STORE_CONFLICT when it lost a race: the caller's transaction then
   * rolls back and repeats with `exclusive`, which makes the second try alone in its workspace. `deliverInTransaction`
   * does both tries.
   */
  deliver(tx: Transaction, prepared: PreparedPeople, exclusive: boolean): Promise<Delivered>;
  /**
   * Resolves people whose requests are all read-only, outside of any transaction; of none `newMpid` is taken. `isFinal`:
   * some are answered by this alone. Others, who are not settled, are delivered next, which knows who was erased.
   */
  look(sql: Sql, prepared: PreparedPeople, isFinal: boolean): Promise<readonly Look[]>;
  /**
   * Changes identities of profiles that are there, one request after the other, inside the caller's transaction. Answers
   * one a request: undefined when all its changes were made, else why none was. Throws as `deliver` does.
   */
  modify(tx: Transaction, group: ModifyGroup, exclusive: boolean): Promise<readonly ModifyOutcome[]>;
  /**
   * Which of the people were erased, by index: for what is kept although it cannot be delivered (a failed row, a rejected
   * batch), in the transaction that keeps it. They are asked for only where the workspace has tombstones, and one by one:
   * the event loop has its turns in between.
   */
  erasedAmong(
    tx: Transaction,
    workspaceId: WorkspaceId,
    people: () => Iterable<NamedPerson>,
  ): Promise<ReadonlySet<number>>;
  /** An MPID that nobody has. */
  newMpid(): bigint;
  /** The profiles that hold the identity, its owner first; without a page all of them. Unverified, it finds none. */
  findProfiles(sql: Sql, scope: ProfileScope & Partial<ProfilePage>, identity: Identity): Promise<readonly Profile[]>;
}

export interface ProfilePage {
  readonly limit: number;
  readonly offset: number;
}
