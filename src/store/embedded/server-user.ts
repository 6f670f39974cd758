import { execFile } from 'node:child_process';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { AppError } from '../../kernel/index.ts';

const run = promisify(execFile);

/**
 * The user that the server runs as. PostgreSQL refuses root, so root runs it as `postgres`, or as `nobody` where there is none.
 */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the user that root lends to the server; undefined for an ordinary user, who runs the server as itself. */
export async function findServerUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  const account = ['postgres', 'nobody'].map((name) => accounts.find(([found]) => found === name)).find(Boolean);
  if (account !== undefined) return { uid: Number(account[2]), gid: Number(account[3]) };
  throw new AppError(
    'STORE_START',
    'PostgreSQL does not run as root, and this machine has neither a user `postgres` nor a user `nobody`. Run Penstock as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * Returns the user whose cluster is in `folder`: PostgreSQL runs as nobody else. Throws STORE_START when this process may not
 * become that user, and when it is root, as whom PostgreSQL refuses to run.
 */
export async function ownerOf(folder: string): Promise<ServerUser | undefined> {
  const { uid, gid } = await stat(folder);
  const own = process.getuid?.();
  if (own === 0 && uid === 0) throw ownedByRoot(folder);
  if (own === undefined || own === uid) return undefined;
  if (own === 0) return { uid, gid };
  throw new AppError(
    'STORE_START',
    `The embedded store in ${folder} belongs to the user with the id ${uid}. Start Penstock as that user, or set PENSTOCK_HOME to a new folder.`,
  );
}

/** Returns the error of a copy that root made with `cp -r` instead of `cp -a`. */
function ownedByRoot(folder: string): AppError {
  return new AppError(
    'STORE_START',
    `The embedded store in ${folder} belongs to root, and PostgreSQL does not run as root. Give it to the user of the server, for example with \`chown -R postgres: ${folder}\`; \`cp -a\` keeps the owner of a copy.`,
  );
}

/** Tells whether the server's user can use `path`. The system itself is asked, because every parent, ACLs and mounts matter. */
export async function canUse(
  path: string,
  user: ServerUser | undefined,
  purpose: 'execute' | 'write',
): Promise<boolean> {
  try {
    if (user === undefined) await access(path, purpose === 'write' ? constants.W_OK : constants.X_OK);
    else await run('/bin/sh', ['-c', `test -${purpose === 'write' ? 'w' : 'x'} "$0"`, path], { ...user, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
