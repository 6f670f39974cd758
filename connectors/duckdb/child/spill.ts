// The folder to which DuckDB spills over its memory limit, a folder of its own inside the workspace's folder. It is removed
// when the database closes. One that a killed process left behind is removed by the next process that opens a database there.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../src/kernel/index.ts';

const PREFIX = '.penstock-spill-';
let claims = 0;

export interface Spill {
  readonly path: string;
  release(): Promise<void>;
}

/** Claims a spill folder, which DuckDB creates when it first needs one. Removes those of killed processes. */
export async function claimSpill(folder: string): Promise<Spill> {
  await removeOrphans(folder);
  claims += 1;
  const path = join(folder, `${PREFIX}${process.pid}-${claims}`);
  return { path, release: () => rm(path, { recursive: true, force: true }) };
}

/** Removes the spill folders of killed processes. */
export async function removeOrphans(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX)) continue;
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    if (!isRunning(pid)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (failure) {
    // a process of another user is running all the same
    return errorCode(failure) === 'EPERM';
  }
}
