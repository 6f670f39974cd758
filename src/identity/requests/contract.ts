// Identity requests (000, rulings §3): the same resolution as everywhere, one person at a time, answered with more than the
// MPID. Requests that come together share a look-up and, where they change something, a transaction.
import type { Micros } from '../../kernel/index.ts';
import type { AttributeSet, Identity, ProfileScope, ResolutionPolicy } from '../contract.ts';

/** What `identify` and `login` do is the same; `logout` ends a session; `search` only looks, at every type of identity. */
export type ResolveVerb = 'identify' | 'login' | 'logout' | 'search';

export interface ResolveRequest extends ProfileScope {
  readonly verb: ResolveVerb;
  /** Normalised, each type and value once (`normaliseIdentity`). Only a logout may have none. */
  readonly identities: readonly Identity[];
  /** Attributes that the request sets, and when they were set; absent: none. */
  readonly attributes?: AttributeSet;
  readonly setAt?: Micros;
  /** Creates and adds nothing. */
  readonly isReadOnly?: boolean;
  /** Of the workspace; absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

export interface ResolveAnswer {
  readonly mpid: bigint;
  /** The request's identities that the profile held before. */
  readonly matched: readonly Identity[];
  /** Whether the profile holds a login identity that the request carries. */
  readonly isLoggedIn: boolean;
  /** The MPID is not stored: nobody was found and nobody was to be made. */
  readonly isEphemeral: boolean;
}

/** Takes `from` off the profile and puts `to` on it; without `from` it adds, without `to` it removes. */
export interface IdentityChange {
  readonly type: Identity['type'];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface ModifyRequest extends ProfileScope {
  readonly mpid: bigint;
  /** In this order. Values are normalised. */
  readonly changes: readonly IdentityChange[];
  /** Refuses a profile that holds a login identity: of a caller who proved nothing (rulings §3, Key-only requests). */
  readonly onlyAnonymous?: boolean;
  /** Of the workspace; absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

export interface IdentityRequests {
  /**
   * Throws IDENTITY_MISSING where no identity can say who it is, NOT_FOUND for a search that finds nobody, and
   * RATE_LIMITED when too many requests wait.
   */
  resolve(request: ResolveRequest): Promise<ResolveAnswer>;
  /**
   * All changes of a request or none. Throws NOT_FOUND for an MPID that is not there, IDENTITY_CONFLICT for a login
   * identity of another profile, FORBIDDEN for what `onlyAnonymous` refuses.
   */
  modify(request: ModifyRequest): Promise<void>;
  /** Takes nothing more; resolves when everything that was taken has its answer. */
  drain(): Promise<void>;
}
