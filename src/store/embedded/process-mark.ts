import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Index of the start time in /proc/PID/stat, counted behind the name, which may hold spaces and brackets itself. */
const START_TIME = 19;

/**
 * Returns the start time of a process, which distinguishes it from a later one of the same pid. Returns undefined when no
 * process has that pid. Linux reports it in /proc, other systems through `ps`.
 */
export async function processMark(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_TIME];
  }
  return said('lstart', pid);
}

/** Returns program and arguments of a process, or undefined where there is none. */
export async function processCommand(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.replaceAll('\0', ' ').trim();
  }
  return said('command', pid);
}

async function said(column: string, pid: number): Promise<string | undefined> {
  const answer = await run('ps', ['-o', `${column}=`, '-p', String(pid)]).catch(() => undefined);
  return answer?.stdout.trim() || undefined;
}
