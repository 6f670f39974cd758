import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../kernel/index.ts';
import type { Connection } from './connection.ts';
import type { DataModel } from './data-model.ts';
import type { Pipeline } from './pipeline.ts';

type Version = Connection | DataModel | Pipeline;

/**
 * For what version 1 saves, which goes out from what it read before, to keep what it cannot express: throws STORE_CONFLICT
 * where the locked row is another version by now, and all can be made anew. Times alone do not tell: two PUTs may have one.
 */
export function requireUnchanged<One extends Version>(now: One, basedOn: One | undefined): void {
  if (basedOn === undefined || isDeepStrictEqual(savedOf(now), savedOf(basedOn))) return;
  throw new AppError('STORE_CONFLICT', 'The resource was changed at the same time; send the request again.');
}

/** What runs and the scheduler write by themselves: nothing that is saved goes out from it. */
const OF_RUNS: ReadonlySet<string> = new Set<keyof Pipeline>([
  ...(['fault', 'position', 'ledgerFrom', 'scheduledUntilMs', 'nextDueAtMs', 'generation'] as const),
  ...(['failedInARow', 'latestSuccessfulRunId'] as const),
]);

function savedOf(version: Version) {
  return Object.entries(version).filter(([name]) => !OF_RUNS.has(name));
}
