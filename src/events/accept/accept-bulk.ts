import type { RecordRejections } from '../log/rejected-batches.ts';
import type { BatchDoor, BatchSender, SentBatch } from './accept-batches.ts';

export interface BulkDeps {
  readonly batches: BatchDoor;
  readonly recordRejections: RecordRejections;
}

export interface BulkRequest {
  readonly sender: BatchSender;
  /** Path of the request. */
  readonly path: string;
  readonly sent: readonly SentBatch[];
}

/**
 * Keeps the good batches of a request and records the bad ones with their reason (D-030). Resolves when both are
 * durable, with how much of the workspace's rate is used up. Throws what `BatchDoor.accept` throws.
 */
export async function acceptBulk(
  { batches, recordRejections }: BulkDeps,
  { sender, path, sent }: BulkRequest,
): Promise<number> {
  const { workspaceId, key } = sender;
  const { rateUsedPercent } = await batches.accept(sender, sent, (rejected) =>
    recordRejections({
      workspaceId,
      key,
      path,
      rejections: [...rejected].map(([index, issues]) => ({ text: sent[index]?.text ?? 'null', issues })),
    }),
  );
  return rateUsedPercent;
}
