import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { AppError, errorCode, isObject, messageOf, Secret } from '../../kernel/index.ts';
import { SERVER_ROLE } from './cluster.ts';

const DATABASE = 'postgres';

/** Record of a home's embedded store, kept in `store.json` and readable by its owner only. */
export interface StoreRecord {
  /**
   * Absolute path of the folder that holds the cluster; outside the home where the server's user cannot get into it. The
   * file holds it relative to the home where it lies below, so that a home can be copied and moved.
   */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
}

/** Returns the record of `home`, undefined where there is none. Throws STORE_START when the file cannot be read. */
export async function readRecord(home: string): Promise<StoreRecord | undefined> {
  const path = recordPath(home);
  try {
    const record: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isRecord(record)) throw new Error('It must hold folder, port and password of the store');
    return { ...record, folder: resolve(home, record.folder) };
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return undefined;
    throw new AppError('STORE_START', `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function isRecord(value: unknown): value is StoreRecord {
  if (!isObject(value)) return false;
  const { folder, port, password } = value;
  return typeof folder === 'string' && typeof port === 'number' && typeof password === 'string';
}

/** Replaces the record whole: a machine that stops in the middle leaves the former one. */
export async function writeRecord(home: string, record: StoreRecord): Promise<void> {
  const draft = `${recordPath(home)}.${process.pid}`;
  const folder = isBelow(home, record.folder) ? relative(home, record.folder) : record.folder;
  await writeFile(draft, `${JSON.stringify({ ...record, folder }, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, recordPath(home));
}

/** Tells whether `folder` lies somewhere in `home`. */
export function isBelow(home: string, folder: string): boolean {
  const path = relative(home, folder);
  return path !== '' && !isAbsolute(path) && path.split(sep)[0] !== '..';
}

export function makePassword(): string {
  return randomBytes(24).toString('base64url');
}

export function databaseUrlOf({ port, password }: StoreRecord): Secret {
  return new Secret(`postgres://${SERVER_ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`);
}

function recordPath(home: string): string {
  return join(home, 'store.json');
}
