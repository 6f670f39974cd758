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
  /** `context` is bound as associated data: a text moved to another row or field does not decrypt. */
  encrypt(plain: Secret, context: string): string;
  /** Throws SECRET_UNREADABLE when the key is unknown, or text or context were changed. */
  decrypt(text: string, context: string): Secret;
  /** Whether `text` was written with another key than the current one. */
  needsRotation(text: string): boolean;
}

export interface EncryptionKey {
  readonly id: string;
  readonly key: Secret;
}

/** `keys` hold 32 bytes in base64 each; ids are `[A-Za-z0-9_-]+`. Format of a text: `id.iv.tag.cipher`, base64url. */
export function createKeyRing(keys: readonly EncryptionKey[]): KeyRing {
  const byId = new Map(keys.map(({ id, key }) => [id, keyBytes(id, key)]));
  const current = keys[0];
  if (current === undefined) throw new AppError('CONFIG_INVALID', 'No encryption key is configured.');

  return {
    currentKeyId: current.id,
    encrypt(plain, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyBytes(current.id, current.key), iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain.reveal(), 'utf8'), cipher.final()]);
      return [current.id, ...[iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))].join('.');
    },
    decrypt(text, context) {
      const [id = '', iv = '', tag = '', body = ''] = text.split('.');
      const key = byId.get(id);
      if (key === undefined) {
        throw new AppError(
          'SECRET_UNREADABLE',
          `A secret was stored with the encryption key "${id}", which is not configured.`,
        );
      }
      try {
        const decipher = createDecipheriv(ALGORITHM, key, decode(iv), { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(context)).setAuthTag(decode(tag));
        return new Secret(decipher.update(decode(body), undefined, 'utf8') + decipher.final('utf8'));
      } catch (cause) {
        throw new AppError('SECRET_UNREADABLE', `A secret stored with the encryption key "${id}" was changed.`, {
          cause,
        });
      }
    },
    needsRotation: (text) => text.split('.', 1)[0] !== current.id,
  };
}

function decode(part: string): Buffer {
  return Buffer.from(part, 'base64url');
}

function keyBytes(id: string, key: Secret): Buffer {
  const bytes = Buffer.from(key.reveal(), 'base64');
  if (bytes.length === KEY_BYTES && /^[\w-]+$/.test(id)) return bytes;
  throw new AppError(
    'CONFIG_INVALID',
    `The encryption key "${id}" must be an id of letters, digits, - or _ and 32 bytes in base64.`,
  );
}
