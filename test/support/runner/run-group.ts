import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../../src/kernel/index.ts';

const POLL_MS = 50;
/** A daemon that a test started drains when it is interrupted, and stops its server. */
const PATIENCE_MS = 30_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface Ended {
  readonly exitCode: number;
  readonly isInterrupted: boolean;
}

/**
 * Runs a command in a process group of its own. Passes the first signal on to the whole group: a terminal and npm both send
 * Ctrl-C, and the second would end its processes before they have cleared up. Resolves when an interrupted group is gone.
 */
export async function runGroup(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  let isInterrupted = false;
  const pass = (signal: NodeJS.Signals) => {
    if (!isInterrupted) signalGroup(child, signal);
    isInterrupted = true;
  };
  // before the command begins: its first line may be what somebody answers with a signal
  for (const signal of SIGNALS) process.on(signal, pass);
  // another group must not read from the terminal
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  try {
    const [code] = await once(child, 'close');
    if (isInterrupted) await endOf(child);
    return { exitCode: Number(code ?? 1), isInterrupted };
  } finally {
    for (const signal of SIGNALS) process.off(signal, pass);
  }
}

async function endOf(child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; signalGroup(child, 0) && waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    await systemClock.sleep(POLL_MS);
  }
  signalGroup(child, 'SIGKILL');
}

/** Tells whether there is anybody left in the group. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}
