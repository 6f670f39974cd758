import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, readStatus, type ServerStatus, statusFile } from './local-servers.ts';
import type { Recipe } from './recipe.ts';

const STOP_MS = 20_000;
const POLL_MS = 50;

/** Ends the server that a status file names, if it is still that process. Returns whether there was one. */
export async function takeDown({ name, stopSignal }: Recipe): Promise<boolean> {
  const status = await readStatus(name);
  if (status === undefined) return false;
  const wasRunning = await isRunning(status);
  await stopServer(status, stopSignal);
  await rm(statusFile(name), { force: true });
  return wasRunning;
}

/** Asks it to end, then makes it, with all that it started; its folder goes too. */
async function stopServer(status: ServerStatus, stopSignal: NodeJS.Signals): Promise<void> {
  const { pid, folder, dataFolder } = status;
  if (await isRunning(status)) {
    process.kill(pid, stopSignal);
    for (let waited = 0; waited < STOP_MS && (await isRunning(status)); waited += POLL_MS) await sleep(POLL_MS);
    // the group holds what it started; while the head lives the number cannot be another's
    if (await isRunning(status)) process.kill(-pid, 'SIGKILL');
  }
  for (const path of [folder, dataFolder]) if (path !== undefined) await rm(path, { recursive: true, force: true });
}
