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
  /** What the request sets, and when; absent: nothing. */
  readonly attributes?: { readonly set: AttributeSet; readonly setAt: Micros };
  /** Creates, adds and sets nothing. */
  readonly isReadOnly?: boolean;
  /** As of a `Person`. */
  readonly isPublic?: boolean;
  /** Of a login that lets an erased identity come back: who it is. */
  readonly liftsAs?: string;
  /** `policyOf` the workspace's settings, of a search `searchPolicyOf`; absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

export interface ResolveAnswer extends Answer {
  readonly mpid: bigint;
  /** The MPID is not stored: nobody was found and nobody was to be made, or it is of somebody who was erased. */
  readonly isEphemeral: boolean;
}

export interface ModifyRequest extends ProfileScope, ProfileModification {
  /** Absent: `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

export interface IdentityRequests {
  /**
   * Throws IDENTITY_MISSING where no identity can say who it is, NOT_FOUND for a search that finds nobody, and RATE_LIMITED
   * when too many requests wait.
   */
  resolve(request: ResolveRequest): Promise<ResolveAnswer>;
  /**
   * Makes all changes or none, and answers the MPID. To a change that would bring an erased identity back it answers an
   * ephemeral one, and makes none. Throws NOT_FOUND for an MPID that is not there, IDENTITY_CONFLICT for a login identity of
   * another profile, FORBIDDEN for what `isPublic` refuses, and RATE_LIMITED as `resolve`.
   */
  modify(request: ModifyRequest): Promise<bigint>;
  /** Takes nothing more; resolves when everything that was taken has its answer. */
  drain(): Promise<void>;
}
