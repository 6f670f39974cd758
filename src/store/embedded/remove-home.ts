import { rm } from 'node:fs/promises';
import { findData } from './find-data.ts';
import { readRecord } from './record.ts';

/** Removes a home with all it holds, and its cluster even outside the home. No process may run in it any more. */
export async function removeHome(home: string): Promise<void> {
  const record = await readRecord(home);
  // data that are gone, or that belong to another home, are not ours to remove
  const folder = record === undefined ? undefined : await findData(home, record).catch(() => undefined);
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}
