import { randomBytes, randomUUID } from 'node:crypto';
import { Secret } from '../../kernel/index.ts';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const ID = /^[0-9a-f]{32}$/;

/** A client id or key, and its secret, both hex: safe in shells, URLs, forms and Basic headers without escaping. */
export function generateCredential(): { readonly id: string; readonly secret: Secret } {
  return { id: randomBytes(ID_BYTES).toString('hex'), secret: generateSecret() };
}

export function generateSecret(): Secret {
  return new Secret(randomBytes(SECRET_BYTES).toString('hex'));
}

/** The `jti` of a token: no two tokens are the same. */
export function generateTokenId(): string {
  return randomUUID();
}

/** Whether text can be one of our ids at all; what cannot need not reach the store. */
export function isCredentialId(text: string): boolean {
  return ID.test(text);
}
