import { asAppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import type { CostEstimate, Session, Statement } from '../../warehouse/index.ts';

interface Estimated {
  /** `null`: the warehouse gives none, or failed to. */
  readonly estimate: CostEstimate | null;
  /** Warning where the estimate failed. */
  readonly warnings: readonly Notice[];
}

/** Returns the warehouse's estimate. A failed estimate is a warning: the account may read the rows all the same. */
export async function estimateCost(session: Session, statement: Statement, signal: AbortSignal): Promise<Estimated> {
  try {
    return { estimate: (await session.estimate?.(statement, signal)) ?? null, warnings: [] };
  } catch (failure) {
    signal.throwIfAborted();
    return {
      estimate: null,
      warnings: [{ message: `The warehouse gave no estimate: ${asAppError(failure).message}` }],
    };
  }
}
