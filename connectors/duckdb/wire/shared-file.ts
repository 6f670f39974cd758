// A file in which a child hands rows over: it writes a piece into a slot and says so in a message, and the daemon reads it
// from there. That costs half of what a socket costs, whose small reads also keep the garbage collector busy. The file has no
// name, so that nobody else opens it and nothing of it stays; where the machine has shared memory it is never on a disk.
import { ftruncateSync, mkdtempSync, openSync, readSync, rmdirSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** Free space below which shared memory is left to others. */
const LEAST_FREE_BYTES = 256 << 20;
/** Bytes from one slot to the next. The file has holes, so only what is written takes space. */
const SLOT_BYTES = 2 ** 30;

/** Descriptor by which a child inherits the file. */
export const SHARED_FILE = 4;

/**
 * Opens a new file, in `folder` where shared memory is missing, short or refused. Returns its descriptor, which the caller
 * closes.
 */
export function openSharedFile(folder: string, sharedMemory = SHARED_MEMORY): number {
  if (!hasSpace(sharedMemory)) return openIn(folder);
  try {
    return openIn(sharedMemory);
  } catch {
    // a sandbox may show shared memory and refuse to write there
    return openIn(folder);
  }
}

function openIn(parent: string): number {
  const place = mkdtempSync(join(parent, '.penstock-rows-'));
  const path = join(place, 'rows');
  try {
    const file = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return file;
  } finally {
    rmdirSync(place);
  }
}

function hasSpace(sharedMemory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(sharedMemory);
    return bavail * bsize >= LEAST_FREE_BYTES;
  } catch {
    return false;
  }
}

/** Reads the beginning of a slot into `target`. */
export function readSlot(file: number, slot: number, target: Uint8Array): void {
  for (let at = 0; at < target.length; ) {
    const read = readSync(file, target, at, target.length - at, slot * SLOT_BYTES + at);
    if (read === 0) throw new RangeError('A slot holds fewer bytes than its message says.');
    at += read;
  }
}

/** Writes the beginning of a slot. */
export function writeSlot(file: number, slot: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, slot * SLOT_BYTES + at);
  }
}

/** Gives the space of all slots back. */
export function emptySlots(file: number): void {
  ftruncateSync(file, 0);
}
