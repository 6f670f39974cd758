import { hash } from 'node:crypto';
import type { Environment, TombstoneKeys } from '../identity/index.ts';
import type { RequestDraft } from './read/draft.ts';
import type { Subject } from './request.ts';

const ENVIRONMENTS: readonly Environment[] = ['production', 'development'];

/**
 * Returns keyed hashes of all that a request names, in both environments, sorted. They may be kept after the subject is
 * dropped.
 */
export function subjectKeysOf(keys: TombstoneKeys, { identities, mpids }: Subject): string[] {
  const all = ENVIRONMENTS.flatMap((environment) => [
    ...identities.map((identity) => keys.ofIdentity(environment, identity)),
    ...mpids.map((mpid) => keys.ofMpid({ environment, mpid })),
  ]);
  return [...new Set(all)].sort();
}

/**
 * Returns the match hash of a request: 32 hex digits over type, identities and extensions, independent of version and order
 * (D-055).
 */
export function matchHashOf({ type, skipWaitingPeriod }: RequestDraft, subjectKeys: readonly string[]): string {
  return hash('sha256', [type, String(skipWaitingPeriod), ...subjectKeys].join('\n'), 'hex').slice(0, 32);
}
