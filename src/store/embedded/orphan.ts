import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, type Log } from '../../kernel/index.ts';
import { type Cluster, dataFolder } from './cluster.ts';
import { processCommand } from './process-mark.ts';
import { stopProcess } from './server-process.ts';

/**
 * Stops a server that a killed daemon left behind: its sessions may still hold locks of work that nobody finishes. Starting a
 * new one costs less than a second, and a server runs in one way only: as our child. The caller holds the locks of the home and
 * of the cluster's folder, so no living process started it.
 */
export async function stopOrphan(cluster: Cluster, log: Log): Promise<void> {
  const pidFile = join(dataFolder(cluster), 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (await isServerOf(cluster, pid)) {
    log.warn({ pid }, 'store.orphan_stopped');
    await stopProcess(pid, () => isRunning(pid));
  }
  // the pid may belong to any process by now, and PostgreSQL would take it for a server of its own
  if (!(await isServerOf(cluster, pid))) await rm(pidFile, { force: true });
}

async function isServerOf(cluster: Cluster, pid: number): Promise<boolean> {
  const command = await processCommand(pid);
  return command?.includes(`-D ${dataFolder(cluster)} -p `) === true;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
