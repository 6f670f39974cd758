// Folders below `s3_uri`: one for each use, and in it one for each attempt, which is deleted with it.
import { systemClock } from '../../../src/kernel/index.ts';
import type { Bucket } from './bucket.ts';

export interface Place {
  readonly bucket: string;
  /** Beginning of all keys of this use. */
  readonly root: string;
}

export function placeIn(uri: string, use: 'unload' | 'copy'): Place {
  const [bucket = '', ...path] = uri.slice('s3://'.length).split('/');
  return { bucket, root: [...path.filter((part) => part !== ''), 'penstock', use, ''].join('/') };
}

const WEEK_MS = 7 * 24 * 3600 * 1000;

interface Leftovers {
  readonly root: string;
  /** Tells whether an object was left by an earlier attempt of the same run. */
  isDead(key: string): boolean;
  /** Key of the attempt that begins, whose object is not there yet. */
  readonly first: string;
}

/**
 * Deletes files of earlier attempts, and those of killed runs after a week. `first` is among the deleted: so a missing right to
 * delete is noticed before anything is written.
 */
export async function removeLeftovers(bucket: Bucket, { root, isDead, first }: Leftovers): Promise<void> {
  const before = systemClock.nowMs() - WEEK_MS;
  const found = await bucket.list(root);
  const dead = found.filter(({ key, modified }) => isDead(key) || (modified?.getTime() ?? before) < before);
  await bucket.remove([...dead.map(({ key }) => key), first]);
}
