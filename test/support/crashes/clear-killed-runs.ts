// Test runs that were killed or interrupted could not stop their servers.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/kernel/index.ts';
import { stopOrphan } from '../../../src/store/embedded/orphan.ts';
import { processMark } from '../../../src/store/embedded/process-mark.ts';
import { clusterParents } from '../runner/cluster-parent.ts';

/** Begins the names of the folders of test runs. */
export const PREFIX = 'penstock-test-';
export const RUNNER_FILE = 'runner.json';

/** What a run leaves in its folder, so that others can clear up after it. */
export interface Runner {
  readonly pid: number;
  readonly folders: readonly string[];
}

/** Stops the servers of all runs whose process is gone, and removes their folders. */
export async function clearKilledRuns(): Promise<void> {
  for (const parent of clusterParents()) await clearIn(parent);
}

async function clearIn(parent: string): Promise<void> {
  const homes = (await readdir(parent)).filter((name) => name.startsWith(PREFIX)).map((name) => join(parent, name));
  for (const home of homes) {
    const text = await readFile(join(home, RUNNER_FILE), 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { pid, folders = [] } = JSON.parse(text) as Partial<Runner>;
    if (pid === undefined || (await processMark(pid)) !== undefined) continue;
    for (const folder of folders) {
      await stopOrphan({ folder, binaries: '', user: undefined }, createLog('silent'));
      await rm(folder, { recursive: true, force: true });
    }
    await rm(home, { recursive: true, force: true });
  }
}
