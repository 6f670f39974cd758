// The key of a service account, as Google's file or as the private key alone. Only the account and its key are read from the
// file: a caller's file could otherwise name its own address to sign in at, or a program to run.
import { AppError, field, say, type Worded } from '../../src/kernel/index.ts';
import { parseObject } from './parse-object.ts';

export interface ServiceAccount {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId?: string;
}

/** The two fields of a configuration that belong together. */
export interface ServiceAccountKey {
  readonly service_account_id: string;
  readonly service_account_key: string;
}

interface KeyFile {
  readonly email: string;
  readonly privateKey: string;
  readonly keyId?: string;
  /** Number of the account, its other name. */
  readonly clientId?: string;
}

const PEM = /^-----BEGIN (?:RSA )?PRIVATE KEY-----\s[\s\S]+-----END (?:RSA )?PRIVATE KEY-----\s*$/;
const TOKEN_ADDRESSES = ['https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token'];

/**
 * Returns the fault of a key as a sentence without its subject, or undefined for a valid one. Never repeats a part of the key.
 */
export function keyComplaint(key: string): string | undefined {
  const read = readKey(key);
  return typeof read === 'string' ? read : undefined;
}

/** Returns the account. Throws WAREHOUSE_CONFIG where id and key do not belong together. */
export function serviceAccountOf(config: ServiceAccountKey): ServiceAccount {
  const id = config.service_account_id.trim();
  const key = readKey(config.service_account_key);
  if (typeof key === 'string') throw contradiction(say`${KEY} ${key}.`);
  if ('privateKey' in key) {
    if ([key.email, key.clientId, key.email.split('@')[0]].includes(id)) return key;
    throw contradiction(
      say`${ID} is "${id}", but ${KEY} is a key of ${key.email}. Use id and key of the same account.`,
    );
  }
  if (id.includes('@')) return { email: id, privateKey: key.pem };
  throw contradiction(say`${KEY} is only a private key, so ${ID} must be the e-mail address of the account.`);
}

const [ID, KEY] = [field('config.service_account_id'), field('config.service_account_key')];

function contradiction(message: Worded): AppError {
  return new AppError('WAREHOUSE_CONFIG', message);
}

function readKey(key: string): KeyFile | { readonly pem: string } | string {
  const text = key.trim();
  if (text.startsWith('{')) return readFile(text);
  // line breaks are often written as two characters
  const pem = text.replaceAll('\\n', '\n');
  if (PEM.test(pem)) return { pem };
  const decoded = Buffer.from(text, 'base64').toString('utf8');
  if (decoded.startsWith('{')) return readFile(decoded);
  return 'must be the JSON of a service account’s key, or its private key in PEM';
}

function readFile(text: string): KeyFile | string {
  const file = parseObject(text);
  if (file === undefined) return 'is not JSON';
  if (file.type !== 'service_account') return 'must be a key of type service_account';
  if (!isUnset(file.universe_domain, ['googleapis.com'])) return 'must have the universe_domain googleapis.com';
  if (!isUnset(file.token_uri, TOKEN_ADDRESSES)) return 'has a token_uri that is not an address of Google';
  const { client_email: email, private_key: key, private_key_id: keyId, client_id: clientId } = file;
  if (typeof email !== 'string' || !email.includes('@')) return 'lacks client_email';
  if (typeof key !== 'string' || !PEM.test(key)) return 'lacks private_key, a private key in PEM';
  return {
    email,
    privateKey: key,
    ...(typeof keyId === 'string' ? { keyId } : {}),
    ...(typeof clientId === 'string' ? { clientId } : {}),
  };
}

function isUnset(value: unknown, known: readonly string[]): boolean {
  return value === undefined || known.includes(String(value));
}
