// Identity requests (docs/spec/identity-and-groups.md#identity-requests) use the same resolution as everything else
// (D-041), one person at a time, and get more than an MPID back. Requests that arrive together share one look-up and,
// where they change something, one transaction.
import type { Micros } from '../../kernel/index.ts';
import type {
  Answer,
  AttributeSet,
  Identity,
  ProfileModification,
  ProfileScope,
  ResolutionPolicy,
} from '../contract.ts';

/** `identify` and `login` do the same; `logout` ends a session; `search` only looks, and may find nobody. */
export type ResolveVerb = 'identify' | 'login' | 'logout' | 'search';

export interface ResolveRequest extends ProfileScope {
  readonly verb: ResolveVerb;
  /** Normalised, each type and value once (`normaliseIdentity`). Only a logout may have none. */
  readonly identities: readonly Identity[];
  /** Attributes that the request sets, with their time; absent where it sets none. */
  readonly attributes?: { readonly set: AttributeSet; readonly setAt: Micros };
  /** Creates, adds and sets nothing. */
  readonly isReadOnly?: boolean;
  /** A caller with a public key alone named the person (`Person.isPublic`). */
  readonly isPublic?: boolean;
  /** The actor of a login that lets an erased identity come back. */
  readonly liftsAs?: string;
  /** Policy of the workspace, by default `DEFAULT_POLICY`: from `policyOf`, or from `searchPolicyOf` for a search. */
  readonly policy?: ResolutionPolicy;
}

export interface ResolveAnswer extends Answer {
  readonly mpid: bigint;
  /** The MPID is not stored: nobody was found and none was to be created, or the MPID is of an erased person. */
  readonly isEphemeral: boolean;
}

export interface ModifyRequest extends ProfileScope, ProfileModification {
  /** Policy of the workspace, by default `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

export interface IdentityRequests {
  /**
   * Finds or creates the person of a request. Throws IDENTITY_MISSING where no identity can find a person, NOT_FOUND for a
   * search that finds nobody, and RATE_LIMITED when too many requests wait.
   */
  resolve(request: ResolveRequest): Promise<ResolveAnswer>;
  /**
   * Makes all changes or none, and returns the MPID. For a change that would bring an erased identity back it returns an
   * ephemeral MPID, and makes none. Throws NOT_FOUND for an MPID that does not exist, IDENTITY_CONFLICT for a login identity of
   * another profile, FORBIDDEN for what `isPublic` refuses, and RATE_LIMITED as `resolve` does.
   */
  modify(request: ModifyRequest): Promise<bigint>;
  /** Accepts no more requests, and resolves when all accepted ones have their answer. */
  drain(): Promise<void>;
}
