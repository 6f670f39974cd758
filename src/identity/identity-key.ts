import { hash } from 'node:crypto';
import type { Secret } from '../kernel/index.ts';
import type { Environment, Identity } from './contract.ts';
import { matchingForm } from './normalise-identity.ts';

/** Writes 16 bytes of a keyed hash over environment, type and matching form: equal identities, equal keys. */
export type WriteKey = (identity: Identity, keys: Buffer, at: number) => void;

export const KEY_BYTES = 16;

/**
 * Creates the function that hashes identities: SHA-256 over key, environment, type and matching form, cut to 16 bytes. It takes
 * 0.35 µs each, where an HMAC object costs 3 µs. A cut digest cannot be extended without the key. Line breaks part the fields:
 * neither environment nor type can hold one, and the value stands last. The key can never change: all identities would be lost.
 */
export function createWriteKey(key: Secret, environment: Environment): WriteKey {
  const prefixes = new Map<string, string>();
  return (identity, keys, at) => {
    let prefix = prefixes.get(identity.type);
    if (prefix === undefined) {
      prefix = `${key.reveal()}\n${environment}\n${identity.type}\n`;
      prefixes.set(identity.type, prefix);
    }
    const digest = hash('sha256', prefix + matchingForm(identity), 'binary');
    for (let byte = 0; byte < KEY_BYTES; byte++) keys[at + byte] = digest.charCodeAt(byte);
  };
}

/** Returns the key number `ordinal` of many, one behind the other, as 32 hex digits. */
export function hexOfOrdinal(keys: Buffer, ordinal: number): string {
  return keys.toString('hex', ordinal * KEY_BYTES, (ordinal + 1) * KEY_BYTES);
}
