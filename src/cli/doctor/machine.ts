// What the doctor looks at before a store is open: the folder, its disk, the keys and the port.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { systemClock } from '../../kernel/index.ts';
import { examine, type Finding } from './finding.ts';

const GIB = 2 ** 30;
const LOW_DISK_BYTES = 2 * GIB;
const NO_DISK_BYTES = GIB / 4;
const OTHERS_BITS = 0o077;
const ANSWER_MS = 2000;

export async function examineMachine(config: Config): Promise<readonly Finding[]> {
  return Promise.all([
    examine('home', () => lookAtHome(config.home)),
    examine('disk', () => lookAtDisk(config.home)),
    examine('keys', () => lookAtKeys(config)),
    examine('port', () => lookAtPort(config.http)),
  ]);
}

async function lookAtHome(home: string): Promise<Omit<Finding, 'check'>> {
  const folder = await existing(home);
  const mend = `Give this user the right to write ${folder}, or set PENSTOCK_HOME to another folder.`;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    return { status: 'failed', found: `${folder} cannot be written by this user.`, mend };
  }
  return { status: 'ok', found: folder === home ? home : `${home} is made at the first start.` };
}

async function lookAtDisk(home: string): Promise<Omit<Finding, 'check'>> {
  const { bavail, bsize } = await statfs(await existing(home));
  const freeBytes = bavail * bsize;
  const found = `${(freeBytes / GIB).toFixed(1)} GiB free for ${home}`;
  const mend = 'Free some space, or move PENSTOCK_HOME to a larger disk: a store that is full stops every run.';
  if (freeBytes < NO_DISK_BYTES) return { status: 'failed', found, mend };
  return freeBytes < LOW_DISK_BYTES ? { status: 'warning', found, mend } : { status: 'ok', found };
}

async function lookAtKeys({ home, keys, store }: Config): Promise<Omit<Finding, 'check'>> {
  if (keys.encryption.length > 0 && keys.identity !== undefined)
    return { status: 'ok', found: 'given by the configuration' };
  if (store.databaseUrl !== undefined) {
    const mend = 'Set PENSTOCK_ENCRYPTION_KEYS and PENSTOCK_IDENTITY_KEY, the same for every daemon of this store.';
    return { status: 'failed', found: 'DATABASE_URL is set, but not both keys.', mend };
  }
  const folder = join(home, 'keys');
  const mode = await stat(folder).then(
    (found) => found.mode,
    () => undefined,
  );
  if (mode === undefined) return { status: 'ok', found: `made in ${folder} at the first start` };
  if ((mode & OTHERS_BITS) !== 0) {
    return { status: 'warning', found: `${folder} is open to other users.`, mend: `chmod 700 ${folder}` };
  }
  const found = `kept in ${folder}`;
  return { status: 'ok', found: `${found}; a backup of the store is worth nothing without them` };
}

async function lookAtPort({ host, port }: Config['http']): Promise<Omit<Finding, 'check'>> {
  if (port === 0 || (await isFree(host, port))) return { status: 'ok', found: `${host}:${port} is free` };
  if (await isDaemon(`http://${host}:${port}/healthz`))
    return { status: 'ok', found: `a daemon answers on ${host}:${port}` };
  const mend = 'Set PENSTOCK_PORT to another port, or end what listens there.';
  return { status: 'failed', found: `something else listens on ${host}:${port}`, mend };
}

async function isDaemon(url: string): Promise<boolean> {
  const answered = new AbortController();
  const late = new AbortController();
  void systemClock.sleep(ANSWER_MS, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const answer = await fetch(url, { signal: late.signal }).catch(() => undefined);
  answered.abort();
  return answer?.ok === true;
}

async function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The folder itself, or the nearest one above it that is there. */
async function existing(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder));
}
