import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from './errors.ts';
import { Secret } from './secret.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256 keys by id. The first encrypts; all decrypt, so a key rotates by putting a new one in front. */
export interface KeyRing {
  readonly currentKeyId: string;
  /** Encrypts a text. `context` is bound as associated data: a text moved to another row or field does not decrypt. */
  encrypt(plain: Secret, context: string): string;
  /** Throws SECRET_UNREADABLE when the key is unknown, or text or context were changed. */
  decrypt(text: string, context: string): Secret;
  /** Tells whether `text` was encrypted with another key than the current one. */
  needsRotation(text: string): boolean;
}

export interface EncryptionKey {
  readonly id: string;
  readonly key: Secret;
}

/**
 * Creates a key ring. `keys` hold 32 bytes in base64 each; ids are `[A-Za-z0-9_-]+`. Format of a text: `id.iv.tag.cipher`,
 * base64url.
 */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const byId = keysById(keys);
  const [current, currentKey] = [...byId][0] ?? [];
  if (current === undefined || currentKey === undefined)
    throw new AppError('CONFIG_INVALID', 'No encryption key is configured.');

  return {
    currentKeyId: current,
    encrypt(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, currentKey, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain.reveal(), 'utf8'), cipher.final()]);
      return [current, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(text, context) {
      const [id = '', iv = '', tag = '', body = '', ...rest] = text.split('.');
      const key = byId.get(id);
      if (key === undefined) {
        throw new AppError(
          'SECRET_UNREADABLE',
          `A secret was stored with the encryption key "${id}", which is not configured.`,
        );
      }
      try {
        if (rest.length > 0) throw new Error('The stored secret has unexpected parts.');
        const decipher = createDecipheriv(ALGORITHM, key, decode(iv), { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(context)).setAuthTag(decode(tag));
        return new Secret(decipher.update(decode(body), undefined, 'utf8') + decipher.final('utf8'));
      } catch (cause) {
        throw new AppError(
          'SECRET_UNREADABLE',
          `A secret that was encrypted with the key "${id}" was changed in the store.`,
          {
            cause,
          },
        );
      }
    },
    needsRotation: (text) => text.split('.', 1)[0] !== current,
  };
}

function decode(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}

function keysById(keys: readonly EncryptionKey[]): ReadonlyMap<string, Buffer> {
  const byId = new Map<string, Buffer>();
  for (const [index, { id, key }] of keys.entries()) {
    const bytes = Buffer.from(key.reveal(), 'base64');
    // The position, not the id: if the two were swapped, the message would show the key.
    if (bytes.length !== KEY_BYTES || !/^[\w-]+$/.test(id)) {
      const form = 'an id of letters, digits, - or _ and 32 bytes in base64';
      throw new AppError('CONFIG_INVALID', `Encryption key ${index + 1} must be ${form}.`);
    }
    if (byId.has(id)) throw new AppError('CONFIG_INVALID', `Two encryption keys have the id "${id}".`);
    byId.set(id, bytes);
  }
  return byId;
}
