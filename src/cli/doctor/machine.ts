// Checks of the doctor that need no open store: the folder, its disk, the keys, and the program that answers on the port.
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Config, SETTINGS } from '../../config.ts';
import { hasDaemon } from '../../store/index.ts';
import { answersHealth } from './ask-health.ts';
import { examine, type Finding } from './finding.ts';

const GIB = 2 ** 30;
const LOW_DISK_BYTES = 2 * GIB;
const NO_DISK_BYTES = GIB / 4;
const OTHERS_BITS = 0o077;

export async function examineMachine(config: Config): Promise<readonly Finding[]> {
  return Promise.all([
    examine('home', () => lookAtHome(config)),
    examine('disk', () => lookAtDisk(config.home)),
    examine('keys', () => lookAtKeys(config)),
    examine('port', () => lookAtPort(config)),
    examine('workers', async () => lookAtWorkers(config)),
  ]);
}

async function lookAtHome({ home, store }: Config): Promise<Omit<Finding, 'check'>> {
  const folder = await existing(home);
  const fix = `Give this user the right to write ${folder}, or set PENSTOCK_HOME to another folder.`;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
  } catch {
    return { status: 'failed', found: `${folder} cannot be written by this user.`, fix };
  }
  if (folder !== home && store.databaseUrl !== undefined) {
    return { status: 'ok', found: `${home} is created with the first file` };
  }
  if (folder !== home) {
    const begin = 'Run `penstock init` to create a home there, or set PENSTOCK_HOME to your existing home.';
    return { status: 'warning', found: `${home} is not a Penstock home yet.`, fix: begin };
  }
  const warehouses = join(home, 'warehouses');
  if (await isOpenToOthers(warehouses)) {
    const found = `${warehouses}, which holds the files of warehouses, is open to other users.`;
    return { status: 'warning', found, fix: `chmod 700 ${warehouses}` };
  }
  return { status: 'ok', found: home };
}

async function lookAtDisk(home: string): Promise<Omit<Finding, 'check'>> {
  const { bavail, bsize } = await statfs(await existing(home));
  const freeBytes = bavail * bsize;
  const found = `${(freeBytes / GIB).toFixed(1)} GiB free for ${home}`;
  const fix = 'Free some space, or move PENSTOCK_HOME to a larger disk: a full store stops every run.';
  if (freeBytes < NO_DISK_BYTES) return { status: 'failed', found, fix };
  return freeBytes < LOW_DISK_BYTES ? { status: 'warning', found, fix } : { status: 'ok', found };
}

async function lookAtKeys({ home, keys, store }: Config): Promise<Omit<Finding, 'check'>> {
  if (keys.encryption.length > 0 && keys.identity !== undefined)
    return { status: 'ok', found: 'set by the configuration' };
  if (store.databaseUrl !== undefined) {
    const fix = 'Set PENSTOCK_ENCRYPTION_KEYS and PENSTOCK_IDENTITY_KEY, the same for every daemon of this store.';
    return { status: 'failed', found: 'DATABASE_URL is set, but not both keys.', fix };
  }
  const folder = join(home, 'keys');
  if ((await modeOf(folder)) === undefined) return { status: 'ok', found: `created in ${folder} at the first start` };
  if (await isOpenToOthers(folder)) {
    return { status: 'warning', found: `${folder} is open to other users.`, fix: `chmod 700 ${folder}` };
  }
  const found = `kept in ${folder}`;
  return { status: 'ok', found: `${found}; a backup of the store cannot be read without them` };
}

async function lookAtPort(config: Config): Promise<Omit<Finding, 'check'>> {
  const { host, port } = config.http;
  const start = 'Start one with `penstock serve`.';
  if (port === 0) return { status: 'ok', found: 'the daemon takes any free port' };
  if (await isFree(host, port)) return { status: 'warning', found: `no daemon listens on ${host}:${port}`, fix: start };
  if (!(await answersHealth(config.http))) {
    const fix = 'Set PENSTOCK_PORT to another port, or stop the program that listens there.';
    return { status: 'failed', found: `another program listens on ${host}:${port}`, fix };
  }
  // with DATABASE_URL, this machine cannot tell whose daemon answers
  if (config.store.databaseUrl !== undefined || (await hasDaemon(config.home)))
    return { status: 'ok', found: `a daemon answers on ${host}:${port}` };
  const fix = `Set PENSTOCK_HOME to the home of that daemon, or PENSTOCK_PORT to another port. ${start}`;
  return { status: 'warning', found: `the daemon on ${host}:${port} does not belong to ${config.home}`, fix };
}

/** Judges whether a long run of one workspace delays the others, and whether the limits contradict each other. */
function lookAtWorkers({ engine: { workers, workspaceRuns } }: Config): Omit<Finding, 'check'> {
  if (workers === 0) return { status: 'ok', found: 'this daemon works on no runs' };
  if (workers === 1) {
    const fix = 'Set PENSTOCK_WORKERS to 2 or more if the store has several workspaces.';
    return { status: 'warning', found: 'a run keeps the only worker from all other workspaces until it ends', fix };
  }
  const isSet = workspaceRuns !== Number(SETTINGS.PENSTOCK_WORKSPACE_RUNS.default);
  if (isSet && workspaceRuns >= workers) {
    const found = `PENSTOCK_WORKSPACE_RUNS is ${workspaceRuns}, but a workspace gets at most ${workers - 1} of the ${workers} workers`;
    const fix = `Set PENSTOCK_WORKERS to ${workspaceRuns + 1}, or PENSTOCK_WORKSPACE_RUNS to ${workers - 1}, unless other daemons work on the store.`;
    return { status: 'warning', found, fix };
  }
  return { status: 'ok', found: `${workers}, one of them for workspaces without a run in progress` };
}

async function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

async function isOpenToOthers(folder: string): Promise<boolean> {
  return (((await modeOf(folder)) ?? 0) & OTHERS_BITS) !== 0;
}

async function modeOf(folder: string): Promise<number | undefined> {
  return stat(folder).then(
    ({ mode }) => mode,
    () => undefined,
  );
}

/** Returns the folder itself, or its nearest ancestor that exists. */
async function existing(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder));
}
