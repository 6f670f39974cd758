import { sleepUnheld } from '../../../src/kernel/index.ts';
import { Host } from './host.ts';

/** A child at rest, which is taken again by the next session of its workspace. */
interface Resting {
  readonly host: Host;
  readonly folder: string;
  readonly memoryMb: number;
}

const resting: Resting[] = [];
const MOST_RESTING = 4;
const REST_MS = 30_000;
/** Resident memory up to which a child is used again: a fresh one has 90 MiB. */
const MOST_RESTING_BYTES = 192 * (1 << 20);

/**
 * Returns a child for a session. One that rests from an earlier session of the same workspace saves its start, 0.2 s; another
 * workspace never gets it.
 */
export function takeHost(folder: string, memoryMb: number): Host {
  const at = resting.findLastIndex((one) => one.host.isAlive && one.folder === folder && one.memoryMb === memoryMb);
  const [found] = at < 0 ? [] : resting.splice(at, 1);
  found?.host.hold(true);
  return found?.host ?? new Host(memoryMb, folder);
}

/** Takes a child back whose database is closed, and ends it where it is not worth to be kept. */
export async function returnHost(host: Host, kept: Omit<Resting, 'host'> & { readonly bytes: number }): Promise<void> {
  if (!host.isAlive) return;
  if (kept.bytes > MOST_RESTING_BYTES) {
    await host.end();
    return;
  }
  const rest: Resting = { host, folder: kept.folder, memoryMb: kept.memoryMb };
  host.hold(false);
  resting.push(rest);
  if (resting.length > MOST_RESTING) await resting.shift()?.host.end();
  void endRested(rest);
}

async function endRested(rest: Resting): Promise<void> {
  await sleepUnheld(REST_MS);
  const at = resting.indexOf(rest);
  if (at >= 0) resting.splice(at, 1);
  if (at >= 0) await rest.host.end();
}
