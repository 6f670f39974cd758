// The log of batches: the only file that knows the rows of `event_batches`. Nothing outside may assume one row a batch.
import { ENVIRONMENT_NUMBER, type ProfileScope } from '../identity/index.ts';
import { AppError } from '../kernel/index.ts';
import type { CopyTarget, Transaction } from '../store/index.ts';
import type { BatchToKeep } from './delivery.ts';

export interface KeptBatch {
  /** Undefined: the batch names nobody. */
  readonly mpid: bigint | undefined;
  readonly batch: BatchToKeep;
  readonly id: bigint;
}

/** MPIDs are positive. */
const NOBODY = 0n;
const EPOCH_2000_MS = Date.UTC(2000, 0, 1);

const BATCHES: CopyTarget = {
  table: 'event_batches',
  columns: [
    { name: 'workspace_id', type: 'int8' },
    { name: 'mpid', type: 'int8' },
    // a timestamptz travels as microseconds since 2000
    { name: 'received_on', type: 'int8' },
    { name: 'id', type: 'int8' },
    { name: 'environment', type: 'int2' },
    { name: 'text', type: 'text' },
  ],
};

/** COPY of batches that were received at one time. */
export async function appendBatches(
  tx: Transaction,
  { workspaceId, environment }: ProfileScope,
  { kept, receivedMs }: { readonly kept: readonly KeptBatch[]; readonly receivedMs: number },
): Promise<void> {
  if (kept.length === 0) return;
  const receivedOn = (receivedMs - EPOCH_2000_MS) * 1000;
  const environmentNumber = ENVIRONMENT_NUMBER[environment];
  try {
    await tx.copyIn(BATCHES, kept.length, (index) => {
      const batch = kept[index] as KeptBatch;
      return [workspaceId, batch.mpid ?? NOBODY, receivedOn, batch.id, environmentNumber, keptText(batch)];
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'STORE_UNIQUE') throw error;
    // two daemons may draw the same ids; the next try draws others
    throw new AppError('STORE_CONFLICT', 'Another daemon kept a batch under the same id; deliver again.');
  }
}

/** The batch as it is kept: `mpid` and `batch_id` in front of its own text, which nobody parses again. */
export function keptText({ mpid, batch, id }: KeptBatch): string {
  const own = mpid === undefined ? '' : `"mpid":${mpid},`;
  const front = `{${own}"batch_id":${batch.batchId ?? id}`;
  return batch.text === '{}' ? `${front}}` : `${front},${batch.text.slice(1)}`;
}
