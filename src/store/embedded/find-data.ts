// Finds the data of a known home. Homes are moved and copied with `mv`, `cp -a` and backups; whatever their record says,
// two homes must never run on the same data.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../kernel/index.ts';
import { isBelow, readRecord, type StoreRecord } from './record.ts';

/**
 * Returns the folder that holds the cluster of `home`. Data inside a home follow it when it is moved or copied; data outside
 * carry the path of their home and pass to a moved home, never to a copy. Throws STORE_START when the data are gone or
 * belong to another home.
 */
export async function findData(home: string, { folder }: StoreRecord): Promise<string> {
  const inside = insideHome(home);
  if (!isBelow(home, folder)) {
    // earlier versions kept the absolute path of a folder inside the home: that of the home this one was copied from
    if (await isFolder(inside)) return inside;
    if (await isFolder(folder)) return claimOutside(home, folder);
  } else if (await isFolder(folder)) return folder;
  throw new AppError(
    'STORE_START',
    `The data of the embedded store are missing: ${folder} does not exist. Restore the folder from a backup to ${inside}. To start with an empty store instead, set PENSTOCK_HOME to a new folder.`,
  );
}

/** Throws STORE_START when `home` has data but no record: without the password in it nobody can sign in. */
export async function refuseDataWithoutRecord(home: string): Promise<void> {
  if (!(await isFolder(join(insideHome(home), 'data')))) return;
  throw new AppError(
    'STORE_START',
    `${home} holds the data of an embedded store, but store.json with its password is missing. Restore store.json from a backup, or set PENSTOCK_HOME to a new folder to start with an empty store.`,
  );
}

/** Returns the folder inside `home` that holds the cluster where the server's user can reach it. */
export function insideHome(home: string): string {
  return join(home, 'store');
}

/** Marks `folder`, which lies outside of `home`, as the one that holds its data. */
export async function markHome(folder: string, home: string): Promise<void> {
  await writeFile(markPath(folder), `${home}\n`);
}

async function claimOutside(home: string, folder: string): Promise<string> {
  const marked = (await readFile(markPath(folder), 'utf8').catch(() => '')).trim();
  if (marked === home) return folder;
  if (marked !== '' && !(await isSameFolder(marked, home)) && (await leadsTo(marked, folder))) {
    throw new AppError(
      'STORE_START',
      `The data folder ${folder} belongs to the home ${marked}, and ${home} is a copy of it. A copy of the home does not contain these data. Set PENSTOCK_HOME to ${marked}, or copy the data folder to ${insideHome(home)} while no daemon runs.`,
    );
  }
  await markHome(folder, home);
  return folder;
}

async function leadsTo(home: string, folder: string): Promise<boolean> {
  return (await readRecord(home))?.folder === folder;
}

/** Tells whether two paths lead to the same folder. A home may have several, through a symbolic link or a second mount. */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function markPath(folder: string): string {
  return join(folder, 'home');
}
