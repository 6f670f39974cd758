import { hash } from 'node:crypto';
import type { Secret } from '../kernel/index.ts';
import type { Environment, Identity } from './contract.ts';
import { matchingForm } from './normalise-identity.ts';

/** 32 hex digits of a keyed hash over environment, type and matching form: equal identities, equal keys. */
export type IdentityHash = (identity: Identity) => string;

const HEX_DIGITS = 32;

/**
 * SHA-256 over key, environment, type and matching form, cut to 16 bytes; 0.35 µs each, where an HMAC object costs 3 µs.
 * Cut as it is, a digest cannot be extended without the key, and line breaks part the fields (neither environment nor
 * type can hold one, and the value stands last). The key can never change: all identities would be lost.
 */
export function createIdentityHash(key: Secret, environment: Environment): IdentityHash {
  const prefixes = new Map<string, string>();
  return (identity) => {
    let prefix = prefixes.get(identity.type);
    if (prefix === undefined) {
      prefix = `${key.reveal()}\n${environment}\n${identity.type}\n`;
      prefixes.set(identity.type, prefix);
    }
    return hash('sha256', prefix + matchingForm(identity), 'hex').slice(0, HEX_DIGITS);
  };
}
