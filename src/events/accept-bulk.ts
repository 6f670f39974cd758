import { type Clock, createIdSource, type Issue } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';
import type { AcceptOutcome, BatchDoor, BatchSender, SentBatch } from './accept-batches.ts';
import { type Rejection, recordRejections } from './rejected-batches.ts';

export interface BulkDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly batches: BatchDoor;
}

export interface BulkRequest {
  readonly sender: BatchSender;
  /** Where it was sent to. */
  readonly path: string;
  readonly sent: readonly SentBatch[];
}

/**
 * Keeps the good batches of a request and records the bad ones with their reason (rulings §2); resolves when both are
 * durable, with how much of the workspace's rate is used up. Throws what `BatchDoor.accept` throws.
 */
export type AcceptBulk = (request: BulkRequest) => Promise<number>;

export function createAcceptBulk({ store, clock, batches }: BulkDeps): AcceptBulk {
  const nextId = createIdSource(clock);
  return async ({ sender, path, sent }) => {
    const { outcomes, rateUsedPercent } = await batches.accept(sender, sent);
    const rejections = sent.flatMap(({ text }, index): readonly Rejection[] => {
      const issues = issuesOf(outcomes[index]);
      return issues === undefined ? [] : [{ id: nextId(), text, issues }];
    });
    if (rejections.length > 0) {
      const { workspaceId, key } = sender;
      await recordRejections(store, { workspaceId, key, path, rejections, receivedOn: new Date(clock.nowMs()) });
    }
    return rateUsedPercent;
  };
}

const issuesOf = (outcome: AcceptOutcome | undefined): readonly Issue[] | undefined =>
  outcome?.status === 'rejected' ? outcome.issues : undefined;
