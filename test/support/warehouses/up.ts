// Installs and starts one server, and waits for its first answer.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processMark } from '../../../src/store/embedded/process-mark.ts';
import { takeDown } from './down.ts';
import { ensureInstalled, type Progress } from './install.ts';
import {
  findServer,
  isRunning,
  type ServerName,
  type ServerStatus,
  serversFolder,
  statusFile,
} from './local-servers.ts';
import { withLock } from './lock.ts';
import { type Plan, type Recipe, requirePrograms } from './recipe.ts';

const POLL_MS = 100;
const ASK_MS = 30_000;
export const LOG = 'server.log';

export interface UpOptions {
  readonly progress: Progress;
  /** It ends with this process, where the system can see to that. */
  readonly isBound: boolean;
}

export interface Running<Name extends ServerName> {
  readonly status: ServerStatus<Name>;
  /** This call started it. */
  readonly isOurs: boolean;
}

/** The server when it has answered a query; one that runs already is left as it is. Throws why it cannot be had. */
export async function bringUp<Name extends ServerName>(
  recipe: Recipe<Name>,
  options: UpOptions,
): Promise<Running<Name>> {
  const { say, signal } = options.progress;
  return withLock(join(serversFolder(), `${recipe.name}.lock`), {
    signal,
    waiting: () => say('waiting for another process that starts it'),
    work: async () => {
      const running = await findServer(recipe.name);
      if (running !== undefined) return { status: running, isOurs: false };
      // what one that is gone without `down`, or a start that was killed, left behind
      await takeDown(recipe);
      return { status: await start(recipe, options), isOurs: true };
    },
  });
}

async function start<Name extends ServerName>(recipe: Recipe<Name>, options: UpOptions): Promise<ServerStatus<Name>> {
  await requirePrograms(recipe);
  const installation = await recipe.installation?.();
  const installed = installation === undefined ? '' : await ensureInstalled(installation, options.progress);
  options.progress.signal.throwIfAborted();
  options.progress.say(`starting ${recipe.product}`);
  const folder = await mkdtemp(join(serversFolder(), `${recipe.name}-`));
  const plan = await recipe.plan({ installed, folder });
  const pid = await launch(plan, folder, options);
  const mark = (await processMark(pid)) ?? '';
  const { address, dataFolder } = plan;
  const place = { folder, ...(dataFolder !== undefined && { dataFolder }) };
  const status = { name: recipe.name, pid, mark, isReady: false, address, ...place };
  await writeStatus(status);
  try {
    await untilAnswering(recipe, status, options.progress.signal);
    const ready = { ...status, isReady: true };
    await writeStatus(ready);
    return ready;
  } catch (error) {
    const log = await tail(join(folder, LOG));
    await takeDown(recipe);
    throw new Error(`${(error as Error).message} ${log}`);
  }
}

/** What it writes goes to its log; it is the head of a process group, so that Ctrl-C is for us and not for it. */
async function launch<Name extends ServerName>(
  plan: Plan<Name>,
  folder: string,
  { isBound }: UpOptions,
): Promise<number> {
  const canBind = isBound && process.platform === 'linux' && plan.uid === undefined;
  const [command = '', ...args] = [...(canBind ? ['setpriv', '--pdeathsig', 'TERM'] : []), plan.command, ...plan.args];
  const log = await open(join(folder, LOG), 'a', 0o600);
  const child = spawn(command, args, {
    cwd: plan.cwd ?? folder,
    env: { ...process.env, ...plan.env },
    ...(plan.uid !== undefined && { uid: plan.uid, gid: plan.gid ?? plan.uid }),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  const spawned = new Promise<number>((resolve) => child.on('spawn', () => resolve(child.pid ?? 0)));
  try {
    return await Promise.race([spawned, failed]);
  } finally {
    await log.close();
    child.unref();
  }
}

async function untilAnswering<Name extends ServerName>(
  recipe: Recipe<Name>,
  status: ServerStatus<Name>,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + recipe.readyMs;
  let last: unknown = 'nothing yet';
  while (performance.now() < end) {
    signal.throwIfAborted();
    if (!(await isRunning(status))) throw new Error(`${recipe.product} ended at once.`);
    try {
      await Promise.race([recipe.ask(status.address), late()]);
      return;
    } catch (error) {
      last = error;
    }
    await sleep(POLL_MS);
  }
  throw new Error(`${recipe.product} did not answer within ${recipe.readyMs / 1000} s: ${String(last)}.`);
}

async function late(): Promise<never> {
  await sleep(ASK_MS, undefined, { ref: false });
  throw new Error('no answer');
}

/** Whole or not there, and nobody else's to read: it holds tokens. */
async function writeStatus(status: ServerStatus): Promise<void> {
  const file = statusFile(status.name);
  await mkdir(serversFolder(), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(status, undefined, 2), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function tail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() === '' ? 'Its log is empty.' : `Its log ends: ${text.trim().split('\n').slice(-8).join('\n')}`;
}
