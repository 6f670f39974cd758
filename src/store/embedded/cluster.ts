import { execFile } from 'node:child_process';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AppError, messageOf, type Secret } from '../../kernel/index.ts';
import type { ServerUser } from './server-user.ts';

const run = promisify(execFile);

/** The whole environment of the server's own programs: PGPORT and its like would change what they do. */
export const SERVER_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
export const SERVER_ROLE = 'penstock';

export interface Cluster {
  /** Folder with `bin/postgres`. */
  readonly binaries: string;
  /** Folder that belongs to the server's user; the cluster is `data` in it. */
  readonly folder: string;
  readonly user: ServerUser | undefined;
}

export function dataFolder(cluster: Cluster): string {
  return join(cluster.folder, 'data');
}

export interface NewCluster {
  readonly password: Secret;
  readonly syncsToDisk: boolean;
}

/** Runs initdb where there is no cluster yet. A cluster is complete or missing: an interrupted initdb is run again. */
export async function ensureCluster(cluster: Cluster, { password, syncsToDisk }: NewCluster): Promise<void> {
  const version = await readFile(join(dataFolder(cluster), 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) return;
  const unfinished = join(cluster.folder, 'data.new');
  const passwordFile = join(cluster.folder, 'password');
  await rm(unfinished, { recursive: true, force: true });
  try {
    await writeFile(passwordFile, `${password.reveal()}\n`, { mode: 0o600 });
    if (cluster.user !== undefined) await chown(passwordFile, cluster.user.uid, cluster.user.gid);
    const syncing = syncsToDisk ? [] : ['--no-sync'];
    await run(join(cluster.binaries, 'bin', 'initdb'), [...initArguments(unfinished, passwordFile), ...syncing], {
      ...cluster.user,
      cwd: '/',
      env: SERVER_ENVIRONMENT,
    });
    await rename(unfinished, dataFolder(cluster));
  } catch (error) {
    throw new AppError(
      'STORE_START',
      `The embedded store could not be created in ${cluster.folder}: ${failureText(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/**
 * Returns the arguments of initdb: UTF-8 with a collation that no update of the machine's libraries can change under an index.
 */
function initArguments(data: string, passwordFile: string): string[] {
  return [
    `--pgdata=${data}`,
    `--username=${SERVER_ROLE}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ];
}

/** Returns what a failed command printed, or the message of its failure where it printed nothing. */
function failureText(error: unknown): string {
  const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  return printed === '' ? messageOf(error).trim() : printed;
}
