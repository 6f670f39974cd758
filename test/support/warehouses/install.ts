import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './local-servers.ts';
import { withLock } from './lock.ts';

/** An installation that all runs share: a folder that is complete or absent. */
export interface Installation {
  /** With the version: another version is another folder. */
  readonly key: string;
  /** A path in the folder that is there when it is whole. */
  readonly proof: string;
  /** Fills the folder. */
  build(tools: BuildTools): Promise<void>;
}

export interface BuildTools {
  readonly folder: string;
  /** Runs a program; what it says goes to the log of the installation, and into the error when it fails. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<void>;
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Progress {
  say(text: string): void;
  /** Breaks a build off. */
  readonly signal: AbortSignal;
}

/**
 * Returns the folder of an installation below `root`, and makes it where it is missing. Two processes that want it at once
 * wait for each other. A build has another name until it is whole; the next build removes what a killed one left.
 */
export async function ensureInstalled(
  installation: Installation,
  progress: Progress,
  root = join(cacheFolder(), 'installed'),
): Promise<string> {
  const folder = join(root, installation.key);
  if (await isWhole(folder, installation)) return folder;
  await mkdir(root, { recursive: true });
  return withLock(join(root, `${installation.key}.lock`), {
    signal: progress.signal,
    waiting: () => progress.say('waiting for another process that installs it'),
    work: async () => {
      if (!(await isWhole(folder, installation))) await install(installation, { root, folder, progress });
      return folder;
    },
  });
}

interface Place {
  readonly root: string;
  readonly folder: string;
  readonly progress: Progress;
}

async function install({ key, proof, build }: Installation, { root, folder, progress }: Place): Promise<void> {
  const partial = join(root, `${key}.partial`);
  for (const leftover of [partial, folder]) await rm(leftover, { recursive: true, force: true });
  await mkdir(partial);
  const logFile = join(root, `${key}.log`);
  progress.say(`installing ${key}, log in ${logFile}`);
  await rm(logFile, { force: true });
  await build({
    folder: partial,
    run: (command, args, options) => run(logFile, { command, args, signal: progress.signal, ...options }),
  });
  await access(join(partial, proof));
  await rename(partial, folder);
}

function isWhole(folder: string, { proof }: Installation): Promise<boolean> {
  return access(join(folder, proof)).then(
    () => true,
    () => false,
  );
}

interface Call extends RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly signal: AbortSignal;
}

async function run(logFile: string, { command, args, cwd, env, signal }: Call): Promise<void> {
  const log = await open(logFile, 'a');
  try {
    const start = (await log.stat()).size;
    const child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
      stdio: ['ignore', log.fd, log.fd],
      signal,
    });
    const [code] = await once(child, 'exit');
    if (code === 0) return;
    const said = (await readFile(logFile)).subarray(start).toString('utf8').trim().split('\n').slice(-6).join('\n');
    throw new Error(`\`${[command, ...args].join(' ')}\` ended with ${code}: ${said}`);
  } finally {
    await log.close();
  }
}
