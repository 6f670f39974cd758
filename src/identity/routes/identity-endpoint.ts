import type { SettingsReader } from '../../access/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { IdentityRequests } from '../requests/contract.ts';

export interface IdentityEndpointsDeps {
  readonly requests: IdentityRequests;
  readonly settingsOf: SettingsReader;
  readonly clock: Clock;
}

/** The options that all paths of identity requests share. */
export const IDENTITY_ENDPOINT = {
  api: 'identity',
  method: 'POST',
  credential: 'input_identity',
  tag: 'Identity',
} as const;

/**
 * Returns the paths of an identity call. The web SDK puts `/identity` in front where only its domain is set (D-038).
 */
export function pathsOf(name: string): { readonly path: string; readonly aliases: readonly string[] } {
  return { path: `/v1/${name}`, aliases: [`/identity/v1/${name}`] };
}

export const REFUSALS: Readonly<Record<number, string>> = {
  400: 'LOOKUP_ERROR: no identity; IDENTITY_CONFLICT: the login identity of another profile; BAD_REQUEST: anything else.',
  403: 'The key does not allow this. A key alone cannot search, and cannot change a profile with a login identity.',
  429: 'Too many requests; Retry-After gives the seconds to wait.',
};
