import { randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** Workspaces are the unit of separation and of distribution: a 64-bit id that every tenant table begins with. */
export type WorkspaceId = Branded<bigint, 'WorkspaceId'>;
export const workspaceId = (value: bigint): WorkspaceId => value as WorkspaceId;

const EPOCH_MS = Date.UTC(2025, 0, 1);
const SEQUENCE_BITS = 12n;
const NODE_BITS = 10n;
const SEQUENCES = 1 << Number(SEQUENCE_BITS);

/**
 * Makes 63-bit positive ids that grow with time: 41 bits of milliseconds, 10 of this process, 12 of sequence.
 * Growing ids keep the profiles' index append-only. When a millisecond's 4,096 ids are used up the next one is borrowed,
 * and a clock that jumps back changes nothing. Two processes may draw the same 10 bits: the primary key decides then.
 */
export function createIdSource(clock: Clock, node: number = randomInt(1 << Number(NODE_BITS))): () => bigint {
  let lastMs = 0;
  let sequence = 0;
  return () => {
    const nowMs = clock.nowMs() - EPOCH_MS;
    if (nowMs > lastMs) {
      lastMs = nowMs;
      sequence = 0;
    } else if (++sequence === SEQUENCES) {
      lastMs += 1;
      sequence = 0;
    }
    return (BigInt(lastMs) << (NODE_BITS + SEQUENCE_BITS)) | (BigInt(node) << SEQUENCE_BITS) | BigInt(sequence);
  };
}
