// The real program as a process: commands, and daemons that a test stops, kills or abandons.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_ENVIRONMENT, NODE_FLAGS } from '../../../bin/node-flags.mjs';
import { until } from '../clocks/until.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
const MAIN = join(ROOT, 'src', 'main.ts');

export interface ProcessOptions {
  readonly home: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Half of what a start costs is to compile; a process that is killed leaves nothing there. */
const COMPILED = join(ROOT, 'node_modules', '.cache', 'penstock-tests');

/**
 * The environment of a person with a bare shell: no setting of the machine that runs the tests reaches the program.
 * Without fsync, which only a machine that goes down can tell from the real thing: kill -9 cannot.
 */
export function bareEnvironment({ home, environment = {} }: ProcessOptions): Record<string, string> {
  const { PATH = '/usr/bin:/bin' } = process.env;
  const quick = { NODE_COMPILE_CACHE: COMPILED, PENSTOCK_STORE_FSYNC: 'off' };
  return { PATH, HOME: home, PENSTOCK_HOME: home, PENSTOCK_PORT: '0', ...quick, ...environment };
}

/** Both keys, as daemons that share a store are given them. */
export function someKeys(): Record<string, string> {
  const key = () => randomBytes(32).toString('base64');
  return { PENSTOCK_ENCRYPTION_KEYS: `k1:${key()}`, PENSTOCK_IDENTITY_KEY: key() };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly written: { out: string; err: string };
  readonly ended: Promise<Ended>;
}

/** Starts the program; `written` grows. */
export function spawnPenstock(args: readonly string[], options: ProcessOptions): Started {
  const env = { ...NODE_ENVIRONMENT, ...bareEnvironment(options) };
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...written }) as Ended);
  return { child, written, ended };
}

/** Runs one command to its end. */
export function penstock(args: readonly string[], options: ProcessOptions): Promise<Ended> {
  return spawnPenstock(args, options).ended;
}

export interface Daemon extends AsyncDisposable {
  readonly pid: number;
  /** Where its API listens. */
  readonly url: string;
  /** What it logged so far. */
  log(): string;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>;
}

/** `penstock serve`, once it listens; one that ends before throws what it wrote. SIGTERM when disposed. */
export async function startDaemon(options: ProcessOptions): Promise<Daemon> {
  mkdirSync(options.home, { recursive: true, mode: 0o755 });
  const { child, written, ended } = spawnPenstock(['serve'], options);
  let isGone = false;
  void ended.then(() => {
    isGone = true;
  });
  const end = (signal: NodeJS.Signals) => {
    if (!isGone) child.kill(signal);
    return ended;
  };
  const url = await until(() => {
    if (isGone) throw new Error(`The daemon ended before it listened:\n${written.err}`);
    return /listens on (\S+);/.exec(written.err)?.[1];
  }, 300_000);
  return {
    pid: child.pid ?? 0,
    url,
    log: () => written.err,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGTERM');
    },
  };
}
