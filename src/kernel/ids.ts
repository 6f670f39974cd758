import { randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Workspaces are the unit of separation and of distribution: a 64-bit id that every tenant table begins with. */
export type WorkspaceId = Branded<bigint, 'WorkspaceId'>;
export const workspaceId = (value: bigint): WorkspaceId => value as WorkspaceId;

const EPOCH_MS = Date.UTC(2025, 0, 1);
const SEQUENCE_BITS = 12;
const NODE_BITS = 10;

/**
 * Makes 63-bit positive ids that grow with time: 41 bits of milliseconds, 10 of this process, 12 of sequence or as many as
 * are asked for. When a millisecond's ids are used up the next one is borrowed, and a clock that jumps back changes nothing.
 * Two processes may draw the same 10 bits: the primary key decides then. Whoever knows one id can guess others.
 */
export function createIdSource(
  clock: Clock,
  node: number = randomInt(1 << NODE_BITS),
  sequenceBits: number = SEQUENCE_BITS,
): () => bigint {
  const sequences = 1 << sequenceBits;
  const [timeShift, nodeShift] = [BigInt(NODE_BITS + sequenceBits), BigInt(sequenceBits)];
  let lastMs = 0;
  let sequence = 0;
  return () => {
    const nowMs = clock.nowMs() - EPOCH_MS;
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else if (++sequence === sequences) {
      lastMs += 1;
      sequence = 0;
    }
    return (BigInt(lastMs) << timeShift) | (BigInt(node) << nodeShift) | BigInt(sequence);
  };
}
