import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../config.ts';
import { AppError, createKeyRing, type EncryptionKey, type KeyRing, type Log, Secret } from '../kernel/index.ts';
import { makeHome } from './embedded/make-home.ts';
import { readRecord } from './embedded/record.ts';

const KEY_BYTES = 32;
const HOW_TO_MAKE = {
  PENSTOCK_ENCRYPTION_KEYS: 'export PENSTOCK_ENCRYPTION_KEYS="k1:$(head -c 32 /dev/urandom | base64)"',
  PENSTOCK_IDENTITY_KEY: 'export PENSTOCK_IDENTITY_KEY="$(head -c 32 /dev/urandom | base64)"',
} as const;

type KeyVariable = keyof typeof HOW_TO_MAKE;

export interface Keys {
  readonly keyRing: KeyRing;
  /** Key of the identity hashes, 32 bytes in base64. */
  readonly identityKey: Secret;
}

/**
 * Returns the keys from the configuration; with the embedded store and none configured, from `<home>/keys/`, where they
 * are made once (D-018). Call it before the store is started: a store without its keys is refused and never given new
 * ones. Throws CONFIG_INVALID that says how to make them.
 */
export async function resolveKeys(config: Pick<Config, 'home' | 'store' | 'keys'>, log: Log): Promise<Keys> {
  const { encryption, identity } = config.keys;
  if (config.store.databaseUrl !== undefined) requireConfigured(config.keys);
  const keep = (variable: KeyVariable, file: string) => keptKey(config.home, { variable, file }, log);
  const identityKey = identity ?? new Secret(await keep('PENSTOCK_IDENTITY_KEY', 'identity'));
  if (Buffer.from(identityKey.reveal(), 'base64').length !== KEY_BYTES) {
    throw new AppError(
      'CONFIG_INVALID',
      'The identity key is not 32 bytes in base64: its file in the home was changed.',
    );
  }
  if (encryption.length === 0) {
    const kept = parseKey(await keep('PENSTOCK_ENCRYPTION_KEYS', 'encryption'));
    return { keyRing: createKeyRing([kept]), identityKey };
  }
  if (config.store.databaseUrl === undefined) await warnOfUnused(config, log);
  return { keyRing: createKeyRing(encryption), identityKey };
}

/**
 * Warns about a key of the home that is not configured. A store that began with it needs it until `keys re-encrypt` is done.
 */
async function warnOfUnused({ home, keys }: Pick<Config, 'home' | 'keys'>, log: Log): Promise<void> {
  const path = join(home, 'keys', 'encryption');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept === undefined) return;
  const { id, key } = parseKey(kept.trim());
  if (keys.encryption.some((other) => other.id === id && other.key.reveal() === key.reveal())) return;
  log.warn({ path, id, why: NOT_CONFIGURED }, 'keys.unused');
}

const NOT_CONFIGURED =
  'This key is not in PENSTOCK_ENCRYPTION_KEYS, so the secrets that it encrypted cannot be read. Append it there. After `penstock keys re-encrypt` has re-encrypted them, remove the file.';

interface KeptKey {
  readonly variable: KeyVariable;
  readonly file: string;
}

async function keptKey(home: string, key: KeptKey, log: Log): Promise<string> {
  const path = join(home, 'keys', key.file);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  if ((await readRecord(home)) !== undefined) throw lost(path, key.variable);
  log.warn({ path }, 'keys.made');
  return makeKey(path, key.variable === 'PENSTOCK_ENCRYPTION_KEYS' ? 'home:' : '');
}

/** Creates a key file completely or not at all. The first one wins: two processes that start together end with the same key. */
async function makeKey(path: string, prefix: string): Promise<string> {
  await makeHome(dirname(dirname(path)));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${prefix}${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true });
  await link(draft, path).catch(() => stat(path));
  await rm(draft);
  return (await readFile(path, 'utf8')).trim();
}

function parseKey(text: string): EncryptionKey {
  const colon = text.indexOf(':');
  return { id: text.slice(0, colon), key: new Secret(text.slice(colon + 1)) };
}

/**
 * Throws CONFIG_INVALID for missing keys. Several daemons share such a store, so a key made by one would be wrong for the
 * others.
 */
function requireConfigured({ encryption, identity }: Config['keys']): void {
  const missing: KeyVariable[] = [];
  if (encryption.length === 0) missing.push('PENSTOCK_ENCRYPTION_KEYS');
  if (identity === undefined) missing.push('PENSTOCK_IDENTITY_KEY');
  if (missing.length === 0) return;
  throw new AppError(
    'CONFIG_INVALID',
    [
      `${missing.join(', ')}: with DATABASE_URL the keys come from the configuration, the same for every daemon of that store. Create them with:`,
      ...missing.map((variable) => `  ${HOW_TO_MAKE[variable]}`),
      'Keep a copy apart from the store: encrypted data cannot be read without them.',
    ].join('\n'),
  );
}

function lost(path: string, variable: KeyVariable): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `${path} is missing, but the store in that home was created with it. Restore the file from a backup, or set ${variable} to that key.`,
  );
}
