import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, systemClock } from '../../kernel/index.ts';
import { type Cluster, dataFolder, SERVER_ENVIRONMENT } from './cluster.ts';

const POLL_MS = 20;
const STOP_MS = 60_000;
const READY_LINE = 7;

export interface ServerOptions {
  readonly cluster: Cluster;
  readonly port: number;
  /** Log file of the server; opened here and handed down, so that logging goes on when we die. */
  readonly logFile: string;
  /** `name=value` of postgresql.conf. */
  readonly settings: readonly string[];
}

export interface ServerProcess {
  readonly pid: number;
  /** Resolves when the server is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Breaks off every session, writes a checkpoint and ends. */
  stop(): Promise<void>;
}

/** Starts the server in a process group of its own (Ctrl-C is for us, not for it) and waits until it takes connections. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { cluster, logFile } = options;
  const log = await open(logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  const child = spawn(join(cluster.binaries, 'bin', 'postgres'), serverArguments(options), {
    ...cluster.user,
    cwd: '/',
    env: SERVER_ENVIRONMENT,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const exited = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  );
  await log.close();
  if (!(await becameReady(child, cluster))) {
    throw new AppError('STORE_START', `The embedded store did not start: ${await tail(logFile, logStart)}`);
  }
  child.unref();
  return {
    pid: child.pid ?? 0,
    exited,
    stop: () => stopProcess(child.pid ?? 0, () => child.exitCode === null && child.signalCode === null),
  };
}

function serverArguments({ cluster, port, settings }: ServerOptions): string[] {
  return ['-D', dataFolder(cluster), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}

/** Waits until the server is ready. It notes its state in postmaster.pid, so no connection is needed. */
async function becameReady(child: ChildProcess, cluster: Cluster): Promise<boolean> {
  const pidFile = join(dataFolder(cluster), 'postmaster.pid');
  while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const lines = (await readFile(pidFile, 'utf8').catch(() => '')).split('\n');
    if (lines[0] === String(child.pid) && lines[READY_LINE]?.trim() === 'ready') return true;
    await systemClock.sleep(POLL_MS);
  }
  return false;
}

/**
 * Stops a server by a fast shutdown. If that takes more than a minute it is forced to end, which costs the next start only a
 * recovery.
 */
export async function stopProcess(pid: number, isAlive: () => boolean): Promise<void> {
  for (const [signal, limitMs] of [
    ['SIGINT', STOP_MS],
    ['SIGQUIT', STOP_MS / 4],
    ['SIGKILL', STOP_MS / 4],
  ] as const) {
    if (!isAlive()) return;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let waitedMs = 0; waitedMs < limitMs && isAlive(); waitedMs += POLL_MS) await systemClock.sleep(POLL_MS);
  }
}

/** Returns the last lines that the server has written since `start`. */
async function tail(logFile: string, start: number): Promise<string> {
  const { size } = await stat(logFile);
  if (size <= start) return 'it wrote no log.';
  const text = (await readFile(logFile)).subarray(start).toString('utf8');
  return text.trim().split('\n').slice(-8).join('\n');
}
