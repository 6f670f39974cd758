import { AppError, type Clock } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { KEY_BYTES, type RowLedger } from '../ledger/row-ledger.ts';
import type { ClaimedRun } from '../lifecycle/claim-run.ts';
import type { RecordRetry } from './record-retry.ts';

/** Returns the keys of rows. Each is the id of the row's record. */
export function keysOfRecords(ids: readonly bigint[]): Uint8Array {
  const keys = Buffer.alloc(ids.length * KEY_BYTES);
  for (const [index, id] of ids.entries()) keys.writeBigInt64LE(id, index * KEY_BYTES);
  return keys;
}

/** Creates the ledger of a retry, which marks the record itself as taken. */
export function createRecordLedger(
  clock: Clock,
  { workspaceId }: Pick<ClaimedRun, 'workspaceId'>,
  { failedRunId }: RecordRetry,
): RowLedger {
  return {
    async write(tx, { keys }) {
      const taken = idsOf(keys);
      const marked = await markRetried(tx, [workspaceId, failedRunId, taken, new Date(clock.nowMs())]);
      if (marked !== taken.length)
        throw new AppError('STORE_CONFLICT', 'Some of the records went while they were read.');
    },
  };
}

function idsOf(keys: Uint8Array): bigint[] {
  const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength);
  return Array.from({ length: keys.length / KEY_BYTES }, (_, index) => view.getBigInt64(index * KEY_BYTES, true));
}

type Marking = readonly [workspaceId: bigint, failedRunId: bigint, ids: readonly bigint[], retriedOn: Date];

async function markRetried(tx: Transaction, marking: Marking): Promise<number> {
  return await tx.execute(
    `UPDATE failed_records SET retried_on = $4
     WHERE workspace_id = $1 AND run_id = $2 AND id = ANY($3) AND retried_on IS NULL`,
    marking,
  );
}
