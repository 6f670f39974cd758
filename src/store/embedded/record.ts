import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, Secret } from '../../kernel/index.ts';
import { SERVER_ROLE } from './cluster.ts';

const DATABASE = 'postgres';

/** What a home remembers of its embedded store, in `store.json`, for its owner's eyes only. */
export interface StoreRecord {
  /** Folder that holds the cluster; outside the home where the server's user cannot get into it. */
  readonly folder: string;
  readonly port: number;
  readonly password: string;
}

export async function readRecord(home: string): Promise<StoreRecord | undefined> {
  const path = recordPath(home);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as StoreRecord;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new AppError('STORE_START', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Whole or as it was, also when the machine stops in the middle. */
export async function writeRecord(home: string, record: StoreRecord): Promise<void> {
  const draft = `${recordPath(home)}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(draft, recordPath(home));
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
