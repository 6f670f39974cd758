import type { Secret } from '../../kernel/index.ts';
import type { Environment, Identity } from '../contract.ts';
import { createWriteKey, KEY_BYTES, type WriteKey } from '../identity-key.ts';
import type { IdentityType } from '../identity-types.ts';
import type { ProfileId } from './contract.ts';

export const ENVIRONMENTS: readonly Environment[] = ['production', 'development'];

/** Keys as 32 hex digits. */
export interface TombstoneKeys {
  ofIdentity(environment: Environment, identity: Identity): string;
  /**
   * Returns the key of an erased MPID. It is an identity of its own kind, which data subject requests can name and
   * nobody else can have.
   */
  ofMpid(profile: ProfileId): string;
}

export function createTombstoneKeys(key: Secret): TombstoneKeys {
  const writers: Readonly<Record<Environment, WriteKey>> = {
    production: createWriteKey(key, 'production'),
    development: createWriteKey(key, 'development'),
  };
  const bytes = Buffer.alloc(KEY_BYTES);
  const keyOf = (environment: Environment, identity: Identity): string => {
    writers[environment](identity, bytes, 0);
    return bytes.toString('hex');
  };
  return {
    ofIdentity: keyOf,
    // no type of ours has this name, so it cannot be the key of anything else
    ofMpid: ({ environment, mpid }) => keyOf(environment, { type: 'mpid' as IdentityType, value: String(mpid) }),
  };
}
