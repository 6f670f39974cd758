import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError, systemClock } from '../../kernel/index.ts';
import { processMark } from './process-mark.ts';

const POLL_MS = 50;
const BEAT_MS = 5000;
/** An owner on another host (a container with the same volume) cannot be asked: it lives while its file is touched. */
const SILENT_MS = 20_000;
/** How long to wait for an owner that will be gone soon: a command, or a container that was killed. */
const PATIENCE_MS = 30_000;

/** A daemon keeps the home while it runs; a command gives it back within seconds. */
export type OwnerRole = 'daemon' | 'command';

export interface Owner {
  readonly pid: number;
  /** Start of the process: a pid is used again, this pair is not. */
  readonly mark: string;
  readonly host: string;
  readonly role: OwnerRole;
}

export interface Ownership {
  release(): Promise<void>;
}

/**
 * Makes this process the one that runs the store of `home`. Throws STORE_START, naming the other, when a living daemon is
 * that already. What a killed process left behind is taken over.
 */
export async function takeOwnership(home: string, role: OwnerRole, patienceMs = PATIENCE_MS): Promise<Ownership> {
  const path = lockPath(home);
  const mark = (await processMark(process.pid)) ?? '';
  const own = JSON.stringify({ pid: process.pid, mark, host: hostname(), role } satisfies Owner);
  for (let waitedMs = 0; !(await claim(path, own)); waitedMs += POLL_MS) {
    const other = await findOwner(home);
    if (other !== undefined && (!willBeGone(other) || waitedMs >= patienceMs)) throw occupied(home, other);
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

/** The living process that runs the store of `home`; a lock that a dead one left is removed on the way. */
export async function findOwner(home: string): Promise<Owner | undefined> {
  const path = lockPath(home);
  const content = await contentOf(path);
  if (content === undefined) return undefined;
  const owner = parse(content);
  if (owner !== undefined && (await isAlive(owner, path))) return owner;
  await removeStale(path, content);
  return undefined;
}

function lockPath(home: string): string {
  return join(home, 'owner.json');
}

/** With its content or not at all: a link either makes the name or fails. */
async function claim(path: string, own: string): Promise<boolean> {
  const draft = besides(path);
  await writeFile(draft, own, { mode: 0o600 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * One at a time, and only what is still the same: between our look and our removal somebody may have removed it and a third
 * may own the home by now. Who finds another one at it comes back later.
 */
async function removeStale(path: string, stale: string): Promise<void> {
  const sweeping = `${path}.sweep`;
  if (!(await makeExclusively(sweeping))) {
    const made = await stat(sweeping).catch(() => undefined);
    // whoever swept was killed at it: milliseconds of work do not take that long
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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isAlive(owner: Owner, path: string): Promise<boolean> {
  if (owner.host === hostname()) return (await processMark(owner.pid)) === owner.mark;
  const touchedMs = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  return systemClock.nowMs() - touchedMs < SILENT_MS;
}

function willBeGone({ role, host }: Owner): boolean {
  return role === 'command' || host !== hostname();
}

function occupied(home: string, { pid, role, host }: Owner): AppError {
  const who = role === 'daemon' ? 'Another Penstock daemon' : 'A Penstock command';
  const where = host === hostname() ? `pid ${pid}` : `pid ${pid} on ${host}`;
  return new AppError(
    'STORE_START',
    `${who} (${where}) uses the home ${home}. Stop it (\`kill ${pid}\`), or give this one a home of its own with PENSTOCK_HOME; several daemons share the work over a PostgreSQL named by DATABASE_URL.`,
  );
}

async function contentOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function parse(content: string): Owner | undefined {
  try {
    return JSON.parse(content) as Owner;
  } catch {
    return undefined;
  }
}

async function beat(path: string, released: AbortSignal): Promise<void> {
  while (!released.aborted) {
    const now = new Date(systemClock.nowMs());
    await utimes(path, now, now).catch(() => undefined);
    await systemClock.sleep(BEAT_MS, released).catch(() => undefined);
  }
}

let drafts = 0;
/** A name next to `path` that no other process and no other call uses. */
function besides(path: string): string {
  drafts += 1;
  return `${path}.${hostname()}.${process.pid}.${drafts}`;
}
