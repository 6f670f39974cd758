import { rm } from 'node:fs/promises';
import { readRecord } from './record.ts';

/** Removes a home with all it holds, its cluster too where that lies outside. Nothing may run in it any more. */
export async function removeHome(home: string): Promise<void> {
  const record = await readRecord(home);
  if (record !== undefined) await rm(record.folder, { recursive: true, force: true });
  await rm(home, { recursive: true, force: true });
}
