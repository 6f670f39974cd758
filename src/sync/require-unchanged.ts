import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { DataModel } from './data-model.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineContext } from './pipeline-status.ts';

type Saved = Connection | DataModel | Pipeline;

/**
 * For a PUT that goes out from what it read before, version 1's, which keeps what it cannot express: throws STORE_CONFLICT
 * where the locked row says something else by now, and the PUT can be made anew. Times do not tell: two PUTs may have one.
 */
export function requireUnchanged<One extends Saved>(now: One, basedOn: One | undefined): void {
  if (basedOn !== undefined && !isDeepStrictEqual(savedOf(now), savedOf(basedOn))) throw changed();
}

export type Joined = Pick<PipelineContext, 'connection' | 'dataModel'>;

/** Of what a pipeline runs on, what version 1 makes it of: whose types there are, and the load timestamp that it follows. */
export function requireSameJoined(now: Joined, basedOn: Joined | undefined): void {
  const madeOf = ({ connection: { provider }, dataModel: { loadTimestamp } }: Joined) => ({ provider, loadTimestamp });
  if (basedOn !== undefined && !isDeepStrictEqual(madeOf(now), madeOf(basedOn))) throw changed();
}

function changed(): AppError {
  return new AppError('STORE_CONFLICT', 'The resource was changed at the same time; send the request again.');
}

/** What runs, the scheduler and each save write by themselves: nothing that is saved goes out from it. */
const BY_ITSELF: ReadonlySet<string> = new Set<keyof Pipeline>([
  ...(['fault', 'position', 'ledgerFrom', 'scheduledUntilMs', 'nextDueAtMs', 'generation'] as const),
  ...(['failedInARow', 'latestSuccessfulRunId', 'warnings', 'lastModifiedOn', 'lastModifiedBy'] as const),
]);

function savedOf(saved: Saved) {
  return Object.entries(saved).filter(([name]) => !BY_ITSELF.has(name));
}
