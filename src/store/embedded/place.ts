import { createHash } from 'node:crypto';
import { chmod, chown, cp, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, type Log } from '../../kernel/index.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { insideHome, markHome } from './find-data.ts';
import { canUse, type ServerUser } from './server-user.ts';

const DATA_ROOT = '/var/lib/penstock';
const CACHE_ROOT = '/var/cache/penstock';

/**
 * Returns a folder with `bin/postgres` that the server's user can run. A clone under a 0700 folder, such as root's home or a
 * `mktemp -d`, is closed to that user. The binaries are then copied once, for every home of this machine.
 */
export async function placeBinaries(
  user: ServerUser | undefined,
  log: Log,
  { folder, version }: Binaries = findBinaries(),
): Promise<string> {
  if (await canUse(join(folder, 'bin', 'postgres'), user, 'execute')) return folder;
  if (user === undefined) throw unusable(folder);
  const copy = join(CACHE_ROOT, `postgresql-${version}`);
  if (await canUse(join(copy, 'bin', 'postgres'), user, 'execute')) return copy;
  log.info({ from: folder, to: copy }, 'store.binaries_copied');
  await copyReadable(folder, copy);
  if (!(await canUse(join(copy, 'bin', 'postgres'), user, 'execute'))) throw unusable(copy);
  return copy;
}

/**
 * Creates the folder of the cluster: in the home or, where the server's user cannot reach it, under /var/lib with a name that
 * no other home gets. The user owns it, and it is closed to all others.
 */
export async function placeData(home: string, user: ServerUser | undefined, log: Log): Promise<string> {
  const inHome = insideHome(home);
  if (await makeFolder(inHome, user)) return inHome;
  const hash = createHash('sha256').update(home).digest('hex').slice(0, 12);
  if (user !== undefined) await makePassable(DATA_ROOT);
  const outside = join(DATA_ROOT, `${hash}-${await nextNumber(hash)}`);
  if (user !== undefined && (await makeFolder(outside, user))) {
    await markHome(outside, home);
    log.info({ home, data: outside }, 'store.data_outside_home');
    return outside;
  }
  throw new AppError(
    'STORE_START',
    `The user of the embedded store cannot write to the folder ${home}. Set PENSTOCK_HOME to a folder that this user can reach.`,
  );
}

/** Returns the next free number. A removed home of the same name may have left its data, which must not be touched. */
async function nextNumber(hash: string): Promise<number> {
  const names = await readdir(DATA_ROOT).catch(() => []);
  const numbers = names
    .filter((name) => name.startsWith(`${hash}-`))
    .map((name) => Number(name.slice(hash.length + 1)));
  return Math.max(0, ...numbers) + 1;
}

/** Creates a folder that other users can pass, whatever the umask. */
async function makePassable(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}

async function makeFolder(folder: string, user: ServerUser | undefined): Promise<boolean> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
  if (await canUse(folder, user, 'write')) return true;
  await rmdir(folder);
  return false;
}

/**
 * Copies a folder completely or not at all: the copy is renamed when it is complete, and a process that comes second drops its
 * own.
 */
async function copyReadable(from: string, to: string): Promise<void> {
  const unfinished = `${to}.${process.pid}`;
  await makePassable(CACHE_ROOT);
  await cp(from, unfinished, { recursive: true, verbatimSymlinks: true });
  await chmod(unfinished, 0o755);
  for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o777) | 0o555);
  }
  await rm(to, { recursive: true, force: true });
  await rename(unfinished, to).catch(() => rm(unfinished, { recursive: true, force: true }));
}

function unusable(folder: string): AppError {
  return new AppError(
    'STORE_START',
    `The PostgreSQL in ${folder} cannot be executed. Install Penstock on a file system that allows execution, or set DATABASE_URL.`,
  );
}
