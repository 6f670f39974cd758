import { randomBytes, randomUUID } from 'node:crypto';
import { Secret } from '../../kernel/index.ts';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const ID = /^[0-9a-f]{32}$/;

/** Generates a client id or key with its secret, both hex: safe in shells, URLs, forms and Basic headers without escaping. */
export function generateCredential(): { readonly id: string; readonly secret: Secret } {
  return { id: randomBytes(ID_BYTES).toString('hex'), secret: generateSecret() };
}

export function generateSecret(): Secret {
  return new Secret(randomBytes(SECRET_BYTES).toString('hex'));
}

/** Generates the `jti` of a token, which no other token has. */
export function generateTokenId(): string {
  return randomUUID();
}

/** Tells whether text has the form of one of our ids; other text need not reach the store. */
export function isCredentialId(text: string): boolean {
  return ID.test(text);
}
