// Describes a local server: how to install it, start it and check that it answers.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Installation } from './install.ts';
import type { LocalServers, ServerName } from './local-servers.ts';

export interface Recipe<Name extends ServerName = ServerName> {
  readonly name: Name;
  /** Product and version, for people. */
  readonly product: string;
  readonly programs: readonly Program[];
  /** Absent: npm has brought it. */
  installation?(): Promise<Installation>;
  plan(site: Site): Promise<Plan<Name>>;
  /** A real query; throws until the server answers. */
  ask(address: LocalServers[Name]): Promise<unknown>;
  readonly readyMs: number;
  readonly stopSignal: 'SIGTERM' | 'SIGINT';
}

/** Something that must be on the machine already. */
export interface Program {
  readonly name: string;
  /** A call that ends with 0 when it is there and fit. */
  readonly check: readonly [command: string, ...args: string[]];
  readonly howToGet: string;
}

export interface Site {
  readonly installed: string;
  /** For logs and data of this start; new and empty. */
  readonly folder: string;
}

export interface Plan<Name extends ServerName> {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly address: LocalServers[Name];
  /** A folder elsewhere that goes with the server. */
  readonly dataFolder?: string;
}

const run = promisify(execFile);

interface Needing {
  readonly name: string;
  readonly programs: readonly Program[];
}

/** Names what is missing and how to get it; throws nothing else. */
export async function requirePrograms({ name, programs }: Needing): Promise<void> {
  const missing: Program[] = [];
  for (const program of programs) {
    const [command, ...args] = program.check;
    await run(command, args).catch(() => missing.push(program));
  }
  if (missing.length === 0) return;
  const list = missing.map((program) => `${program.name} (${program.howToGet})`).join(', ');
  throw new Error(`${name} needs what this machine does not have: ${list}.`);
}

export const PYTHON: Program = {
  name: 'python3 from 3.10 on with venv',
  check: ['python3', '-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'],
  howToGet: 'apt-get install python3 python3-venv',
};

/** `3.11`: an installation does not outlive its Python. */
export async function pythonVersion(): Promise<string> {
  const { stdout } = await run('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  return stdout.trim();
}
