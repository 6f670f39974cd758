import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

interface Turn<Result> {
  readonly work: () => Promise<Result>;
  /** Called once where another has the lock. */
  readonly waiting: () => void;
  readonly signal: AbortSignal;
}

/**
 * Does the work while no other process does any under the same file. The lock is the system's own on a file of SQLite:
 * it goes with the process that holds it, however that ends.
 */
export async function withLock<Result>(file: string, { work, waiting, signal }: Turn<Result>): Promise<Result> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    database.exec('PRAGMA busy_timeout = 0');
    let isFirst = true;
    while (!take(database)) {
      if (isFirst) waiting();
      isFirst = false;
      await sleep(POLL_MS, undefined, { signal });
    }
    return await work();
  } finally {
    database.close();
  }
}

function take(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (!String(error).includes('locked')) throw error;
    return false;
  }
}
