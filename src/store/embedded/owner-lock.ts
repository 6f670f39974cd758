import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError, errorCode, isObject, systemClock } from '../../kernel/index.ts';
import { processMark } from './process-mark.ts';

const POLL_MS = 50;
const BEAT_MS = 5000;
/** An owner on another host (a container with the same volume) cannot be asked: it lives while its file is touched. */
const SILENT_MS = 20_000;
/** Time to wait for an owner that will end soon: a command, or a container that was killed. */
const PATIENCE_MS = 30_000;

/** A daemon keeps the home while it runs; a command gives it back within seconds. */
export type OwnerRole = 'daemon' | 'command';

export interface Owner {
  readonly pid: number;
  /** Start time of the process: a pid is reused, this pair is not. */
  readonly mark: string;
  readonly host: string;
  readonly role: OwnerRole;
  /**
   * Inode of the locked folder: a copy of the folder carries the lock file along, but has another inode. So may the folder
   * itself, where a network file system or a mount gives each host or process another.
   */
  readonly inode?: string;
}

export interface Ownership {
  release(): Promise<void>;
}

/**
 * Makes this process the only one that runs the store in `folder`: a home, or the folder of a cluster outside it. Takes over
 * the lock of a killed process. Throws STORE_START, naming the owner, when a living daemon holds the lock.
 */
export async function takeOwnership(folder: string, role: OwnerRole, patienceMs = PATIENCE_MS): Promise<Ownership> {
  const path = lockPath(folder);
  const mark = (await processMark(process.pid)) ?? '';
  const inode = await inodeOf(folder);
  const own = JSON.stringify({ pid: process.pid, mark, host: hostname(), role, inode } satisfies Owner);
  for (let waitedMs = 0; !(await claim(path, own)); waitedMs += POLL_MS) {
    const other = await findOwner(folder);
    if (other !== undefined && (!willBeGone(other) || waitedMs >= patienceMs)) throw occupied(folder, other);
    await systemClock.sleep(POLL_MS);
  }
  const released = new AbortController();
  const beating = beat(path, released.signal);
  return {
    async release() {
      released.abort();
      await beating;
      if ((await contentOf(path)) === own) await rm(path, { force: true });
    },
  };
}

/** Returns the living process that holds the lock of `folder`. Removes a lock that a dead one or a copy left behind. */
export async function findOwner(folder: string): Promise<Owner | undefined> {
  const path = lockPath(folder);
  const content = await contentOf(path);
  if (content === undefined) return undefined;
  const owner = parse(content);
  if (owner !== undefined && (await isAlive(owner, folder))) return owner;
  await removeStale(path, content);
  return undefined;
}

function lockPath(folder: string): string {
  return join(folder, 'owner.json');
}

/** Tells whether `owner` locked this very folder. A lock of an older version does not say and counts as if it did. */
async function isOf({ inode }: Owner, folder: string): Promise<boolean> {
  return inode === undefined || inode === (await inodeOf(folder));
}

async function inodeOf(folder: string): Promise<string> {
  return String((await stat(folder, { bigint: true })).ino);
}

/** Creates the lock with its content or not at all: a link either creates the name or fails. */
async function claim(path: string, own: string): Promise<boolean> {
  const draft = besides(path);
  await writeFile(draft, own, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Removes a stale lock, one process at a time, and only if it is unchanged: meanwhile another process may have removed it and a
 * third may own the home. A process that finds another one removing it returns and tries again later.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const sweeping = `${path}.sweep`;
  if (!(await makeExclusively(sweeping))) {
    const made = await stat(sweeping).catch(() => undefined);
    // the process that swept was killed: milliseconds of work do not take that long
    if (made !== undefined && systemClock.nowMs() - made.mtimeMs > SILENT_MS) await rm(sweeping, { force: true });
    return;
  }
  try {
    if ((await contentOf(path)) === stale) await rm(path, { force: true });
  } finally {
    await rm(sweeping, { force: true });
  }
}

async function makeExclusively(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAlive(owner: Owner, folder: string): Promise<boolean> {
  const isHere = owner.host === hostname();
  if (isHere && (await processMark(owner.pid)) !== owner.mark) return false;
  if (!(await isOf(owner, folder))) return isBeating(lockPath(folder));
  return isHere || !isSilent(await touchedMs(lockPath(folder)));
}

/** Waits until a lock is touched once more, which never happens to a copied one, or until it is silent. */
async function isBeating(path: string): Promise<boolean> {
  const beforeMs = await touchedMs(path);
  for (let waitedMs = 0; waitedMs < SILENT_MS && !isSilent(beforeMs); waitedMs += POLL_MS) {
    await systemClock.sleep(POLL_MS);
    const nowMs = await touchedMs(path);
    if (nowMs !== beforeMs) return !isSilent(nowMs);
  }
  return false;
}

function isSilent(touched: number): boolean {
  return systemClock.nowMs() - touched >= SILENT_MS;
}

/** Returns when the file was last touched, or 0 where it is gone. */
async function touchedMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function willBeGone({ role, host }: Owner): boolean {
  return role === 'command' || host !== hostname();
}

function occupied(folder: string, { pid, role, host }: Owner): AppError {
  const who = role === 'daemon' ? 'Another Penstock daemon' : 'A Penstock command';
  const where = host === hostname() ? `pid ${pid}` : `pid ${pid} on ${host}`;
  return new AppError(
    'STORE_START',
    `${who} (${where}) uses ${folder}. Stop it (\`kill ${pid}\`), or set PENSTOCK_HOME to another folder. To share the work between several daemons, use a PostgreSQL with DATABASE_URL.`,
  );
}

async function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

function parse(content: string): Owner | undefined {
  try {
    const owner: unknown = JSON.parse(content);
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isOwner(value: unknown): value is Owner {
  if (!isObject(value)) return false;
  const { pid, mark, host, inode } = value;
  const isProcess = typeof pid === 'number' && typeof mark === 'string' && typeof host === 'string';
  // whatever its role is: a later version may know further ones
  return isProcess && (inode === undefined || typeof inode === 'string');
}

async function beat(path: string, released: AbortSignal): Promise<void> {
  while (!released.aborted) {
    const now = new Date(systemClock.nowMs());
    await utimes(path, now, now).catch(() => undefined);
    await systemClock.sleep(BEAT_MS, released).catch(() => undefined);
  }
}

let drafts = 0;
/** Returns a name next to `path` that no other process and no other call uses. */
function besides(path: string): string {
  drafts += 1;
  return `${path}.${hostname()}.${process.pid}.${drafts}`;
}
