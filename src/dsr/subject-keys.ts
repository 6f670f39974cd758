import { hash } from 'node:crypto';
import type { Environment, TombstoneKeys } from '../identity/index.ts';
import type { RequestDraft } from './read/draft.ts';
import type { Subject } from './request.ts';

const ENVIRONMENTS: readonly Environment[] = ['production', 'development'];

/** Keyed hashes of all that a request names, in both environments, sorted: what may be kept of them. */
export function subjectKeysOf(keys: TombstoneKeys, { identities, mpids }: Subject): string[] {
  const all = ENVIRONMENTS.flatMap((environment) => [
    ...identities.map((identity) => keys.ofIdentity(environment, identity)),
    ...mpids.map((mpid) => keys.ofMpid({ environment, mpid })),
  ]);
  return [...new Set(all)].sort();
}

/**
 * Returns what two requests for the same thing have in common, in whatever version and order they were written: a hash
 * of type, identities and extensions (D-055). 32 hex digits.
 */
export function matchHashOf({ type, skipWaitingPeriod }: RequestDraft, subjectKeys: readonly string[]): string {
  return hash('sha256', [type, String(skipWaitingPeriod), ...subjectKeys].join('\n'), 'hex').slice(0, 32);
}
